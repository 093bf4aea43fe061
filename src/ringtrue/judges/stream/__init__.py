"""Votes that keep coming: windows, and an alarm that may run for ever."""
