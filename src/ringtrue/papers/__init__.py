"""The methods of five papers, each under the name its paper gives it; `docs/papers.md` lists them all.

A method that a question uses lives with that question, and its paper's module shows it again. Nothing outside this
package imports it.
"""

from importlib import import_module
from types import ModuleType

__all__ = [
    "adversarial_distance",
    "algebraic_evaluation",
    "algorithmic_assurance",
    "masa",
    "reliability_assessment",
]


def __getattr__(name: str) -> ModuleType:
    """Load a paper when it is first used, so that one paper does not wait for the other four."""
    if name not in __all__:
        raise AttributeError(f"module 'ringtrue.papers' has no attribute {name!r}")
    return import_module(f"ringtrue.papers.{name}")
