"""Tests of the report, and how they read a page."""
