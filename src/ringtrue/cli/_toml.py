"""TOML files that people write: what they hold, or one line on what is wrong with them."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from ringtrue.core import InvalidInput


def read_toml(path: Path, where: str, form: str) -> dict[str, Any]:
    """The tables of a file. `where` names it in errors, and `form` says how it should look."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InvalidInput(f"{where} does not exist: {form}") from None
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{where} is not UTF-8 at byte {error.start}: save it as UTF-8") from None
    except OSError as error:
        raise InvalidInput(f"{where} cannot be read ({error.strerror}): give a TOML file") from None
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput(f"{where} is no TOML ({' '.join(str(error).split())}): {form}") from None
