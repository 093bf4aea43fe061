"""The shapes in which served models are asked and answer, one file each; the address tells which one it is."""

from ringtrue.models.wires._choose import wire_of
from ringtrue.models.wires._wire import Wire

__all__ = ["Wire", "wire_of"]
