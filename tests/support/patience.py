"""How long a test waits for what should come at once: only so that it fails rather than hangs."""

PATIENCE = 20 * 60
"""Seconds. A busy machine takes minutes for what an idle one does in a second, and a test must not tell them apart."""
