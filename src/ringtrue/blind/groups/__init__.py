"""What the errors found have in common: groups with an excess, and the patches of an image that sway the decision."""

from ringtrue.blind.groups._sway import superpixels, sway
from ringtrue.blind.groups._table import Group, clusters, group_table

__all__ = ["Group", "clusters", "group_table", "superpixels", "sway"]
