"""The desk: people label in the browser what a study asks, and its owner watches the claim being decided."""

from ringtrue.desk._fields import Fields
from ringtrue.desk._links import Place, new_token, token_hash
from ringtrue.desk._open import serve_desk
from ringtrue.desk._serve import Bound, Stopping, bind, default_port

__all__ = ["Bound", "Fields", "Place", "Stopping", "bind", "default_port", "new_token", "serve_desk", "token_hash"]
