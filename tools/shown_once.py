"""A griffe extension: the reference describes each public name once, on the page of the package that is its home.

A package may show names of others again, as `ringtrue` and the papers do. There the name is a link to its home.
"""

import re
from collections.abc import Iterator
from typing import Any

import griffe

FIRST_EXAMPLE = re.compile(r"(?:\A|\n\n)(?=>>> )")


class ShownOnce(griffe.Extension):
    """Leave a public name with its home, link to it from elsewhere, and set off examples from words."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Put a heading above the first example of a docstring, without which it would be read as a quotation."""
        if obj.docstring and "Examples\n---" not in obj.docstring.value:
            obj.docstring.value = FIRST_EXAMPLE.sub("\n\nExamples\n--------\n", obj.docstring.value, count=1)

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        """Find the home of each public name, and make a link of it elsewhere."""
        homes: dict[str, str] = {}
        for module in sorted(public_modules(pkg), key=rank):
            elsewhere = []
            for name in list(module.exports or ()):
                member = module.members[str(name)]
                home = homes.setdefault(final(member).path, f"{module.path}.{name}")
                if home != f"{module.path}.{name}":
                    module.del_member(str(name))
                    elsewhere.append(f"[`{name}`][{home}]")
                elif isinstance(cls := final(member), griffe.Class):
                    for one in (cls, *cls.mro()):
                        leave_out_details(one)
            if elsewhere:
                add_to_docstring(module, f"Also here, described where they live: {', '.join(elsewhere)}.")


def public_modules(module: griffe.Module) -> Iterator[griffe.Module]:
    """Yield a module and those in it that have no underscore and say in `__all__` what they offer."""
    if module.exports is not None:
        yield module
    for name, inner in module.modules.items():
        if not inner.is_alias and not name.startswith("_"):
            yield from public_modules(inner)


def rank(module: griffe.Module) -> tuple[bool, int, str]:
    """Return what a home is chosen by: short paths first, papers and the package itself last."""
    depth = module.path.count(".")
    return (depth == 0 or module.path.startswith("ringtrue.papers")), depth, module.path


def final(member: griffe.Object | griffe.Alias) -> griffe.Object:
    """Return what a member is where it is defined, through every import."""
    return member.final_target if isinstance(member, griffe.Alias) else member


def leave_out_details(cls: griffe.Class) -> None:
    """Delete special methods, and the fields of a dataclass without words of their own: its signature has them."""
    for name, member in list(cls.members.items()):
        special = name.startswith("__") and name != "__init__"
        field = member.is_attribute and "dataclass" in cls.labels and "property" not in member.labels
        if special or (field and not member.has_docstring):
            cls.del_member(name)


def add_to_docstring(module: griffe.Module, words: str) -> None:
    """Add a paragraph to what is said of a module."""
    if module.docstring is None:
        module.docstring = griffe.Docstring("", parent=module)
    module.docstring.value = f"{module.docstring.value}\n\n{words}".strip()
