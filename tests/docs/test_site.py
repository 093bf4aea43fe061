"""The site: built without a warning or a network, its links lead somewhere, and each public name is on it once."""

import dataclasses
import importlib
import inspect
import os
import pkgutil
import re
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import PurePosixPath
from types import FunctionType, ModuleType

import pytest

import build_site
import ringtrue
from docs.test_docs import ROOT
from support import PATIENCE

HEADING = re.compile(r'<h\d id="([^"]+)" class="doc doc-heading">(.*?)</h\d>(.*?)(?=<h\d id=|\Z)', re.DOTALL)
SIGNATURE = re.compile(r'<div class="doc-signature.*?<pre>(.*?)</pre>', re.DOTALL)
LOADED = re.compile(r"<(?:script|link|img|iframe|source)\b[^>]*?\b(?:src|href)=[\"']?((?:https?:)?//[^\"' >]+)")
FETCHED = re.compile(r"(?:url\(|@import)\s*[\"']?((?:https?:)?//[^\"') ]+)")
LED = re.compile(r'<a\b[^>]*?\bhref="([^"]*)"')


@pytest.mark.slow
def test_the_site_is_whole(tmp_path):
    """One test, because to build the site takes ten seconds of processor time."""
    command = [sys.executable, str(ROOT / "tools" / "build_site.py"), str(tmp_path / "site")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    pages = {
        path.relative_to(tmp_path / "site").as_posix(): path.read_text(encoding="utf-8")
        for path in (tmp_path / "site").rglob("*.html")
    }
    check_navigation(pages)
    check_links(pages, tmp_path / "site")
    assert not {page: found for page, text in pages.items() if (found := LOADED.findall(text))}
    sheets = list((tmp_path / "site").rglob("*.css"))
    assert sheets
    assert not {sheet: found for sheet in sheets if (found := FETCHED.findall(sheet.read_text(encoding="utf-8")))}
    check_names({page: text for page, text in pages.items() if page.startswith("reference/")})


def check_navigation(pages):
    """Every page of the navigation is there, and every document is in the navigation."""

    def leaves(entry):
        if isinstance(entry, str):
            return [entry]
        return [leaf for one in (entry if isinstance(entry, list) else entry.values()) for leaf in leaves(one)]

    listed = leaves(tomllib.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))["project"]["nav"])
    documents = [place for place in build_site.published(ROOT).values() if place.suffix == ".md"]
    assert sorted(listed) == sorted(map(str, documents))
    built = {str(PurePosixPath(name).with_suffix(".html")).replace("README.html", "index.html") for name in listed}
    assert built | {"404.html"} == set(pages)


def check_links(pages, folder):
    """Every link within the site leads to a page, a file or a heading that is there."""
    anchors = {page: {*re.findall(r'\bid="([^"]+)"', text), ""} for page, text in pages.items()}
    for page, text in pages.items():
        for link in set(LED.findall(text)):
            if page == "404.html" or re.match(r"[a-z]+:", link):
                continue
            target, _, anchor = link.partition("#")
            place = os.path.normpath(PurePosixPath(page).parent / target) if target else page
            place = "index.html" if place == "." else place
            assert (folder / place).exists(), f"{page} links to {link}"
            assert place not in anchors or anchor in anchors[place], f"{page} links to {link}: no such heading"


def check_names(pages):
    """Every name in the `__all__` of a public module is described on one page of the reference, and nothing else is."""
    described = {name: words for text in pages.values() for name, _, words in HEADING.findall(text)}
    counts = Counter(name for text in pages.values() for name, _, _ in HEADING.findall(text))
    assert max(counts.values()) == 1, f"more than once: {[name for name, n in counts.items() if n > 1]}"
    modules = public_modules()
    members = {f"{home}.{name}": getattr(module, name) for home, module in modules.items() for name in module.__all__}
    assert set(modules) <= set(described)
    shown = {path: thing for path, thing in members.items() if path in described}
    for path, thing in members.items():
        homes = [home for home, other in shown.items() if same(path, thing, home, other)]
        assert homes, f"{path} is not in the reference"
        assert len(homes) == 1 or is_constant(thing), f"{path} is in the reference as {homes}"
    for path in described:
        cls, _, name = path.rpartition(".")
        ours = path in modules or path in members or (isinstance(members.get(cls), type) and not name.startswith("_"))
        assert ours, f"{path} is in the reference, and not public"
    for path, thing in shown.items():
        if isinstance(thing, type):
            absent = [name for name in methods(thing) if f"{path}.{name}" not in described]
            assert not absent, f"{path} is described without its methods {absent}"
        if inspect.isfunction(thing) or (isinstance(thing, type) and dataclasses.is_dataclass(thing)):
            signature = re.sub(r"<[^>]+>", "", SIGNATURE.search(described[path])[1])
            absent = [name for name in inspect.signature(thing).parameters if not re.search(rf"\b{name}\b", signature)]
            assert not absent, f"{path} is described without {absent}"


def public_modules():
    """Return by name every module that has no underscore in its path and says what it offers."""
    names = ["ringtrue", *(one.name for one in pkgutil.walk_packages(ringtrue.__path__, "ringtrue."))]
    modules = {name: importlib.import_module(name) for name in names if "._" not in name}
    return {name: module for name, module in modules.items() if hasattr(module, "__all__")}


def methods(cls):
    """Return the public methods and properties of a class, also those of its bases in ringtrue."""
    kinds = (staticmethod, classmethod, property, FunctionType)
    ours = [vars(one) for one in cls.__mro__ if one.__module__.startswith("ringtrue.")]
    return sorted({name for one in ours for name, thing in one.items() if name[0] != "_" and isinstance(thing, kinds)})


def is_constant(thing):
    """Whether two names for one thing may be two things: equal texts, numbers and types are often kept once."""
    return not isinstance(thing, type | ModuleType) and not inspect.isfunction(thing)


def same(path, thing, home, other):
    """Whether two public paths lead to one thing."""
    return thing is other and (not is_constant(thing) or path.rpartition(".")[2] == home.rpartition(".")[2])


ODD = '''
def count(n: int) -> int:
    """Count.

    Parameters
    ----------
    more
        What is not there.
    """
'''


@pytest.fixture
def small(tmp_path):
    """A repository of one page, whose site is well."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text("# Small\n\n[New](../CHANGELOG.md) and [here](#small).\n")
    (tmp_path / "CHANGELOG.md").write_text("# Changes\n\n[Home](docs/index.md#small)\n")
    (tmp_path / "zensical.toml").write_text('[project]\nsite_name = "small"\nuse_directory_urls = false\n')
    return tmp_path


def test_links_lead_to_where_pages_are(small):
    assert build_site.build(small / "site", small) == ""
    assert 'href="CHANGELOG.html"' in (small / "site" / "index.html").read_text(encoding="utf-8")
    assert 'href="index.html#small"' in (small / "site" / "CHANGELOG.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("[gone](gone.md)\n", "page does not exist"),
        ("[gone](#gone)\n", "anchor does not exist"),
        ("::: odd.count\n", "'more' does not appear in the function signature"),
    ],
)
def test_a_warning_is_an_error(small, words, said):
    """Also one of the reader of docstrings, which the generator itself does not mind."""
    (small / "src").mkdir()
    (small / "src" / "odd.py").write_text(ODD)
    with (small / "zensical.toml").open("a") as config:
        config.write('[project.plugins.mkdocstrings.handlers.python.options]\ndocstring_style = "numpy"\n')
    with (small / "docs" / "index.md").open("a") as page:
        page.write(words)
    assert said in build_site.build(small / "site", small)
    assert not (small / "site").exists()


@pytest.mark.parametrize(
    "tag",
    [
        '<script src="https://x.org/a.js">',
        '<link rel="stylesheet" href="//x.org/a.css">',
        "<img alt='' src='http://x.org/a.png'>",
    ],
)
def test_what_is_loaded_from_elsewhere_is_seen(tag):
    assert LOADED.findall(f"<p>{tag}</p>")
    assert not LOADED.findall('<a href="https://x.org"><img src="../a.png"></a>')
