"""Build the documents as a site, without a network: `python tools/build_site.py FOLDER`.

The pages are the documents of the repository as they are. They are copied to where they stand on the site, with the
folder docs/ as its root, and links between them are written anew, so that the same link works in both. A warning of the
generator or of what reads the docstrings is an error.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parents[1]
BESIDE = ("CHANGELOG.md", "CONTRIBUTING.md", "casestudies/*/README.md", "casestudies/*/*.svg", "examples/*/README.md")
LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#)([^)\s#]+)")
NOT_RUN = re.compile(r"^(```\w+) no-run: .*$", re.MULTILINE)
# What is read of the source stays until the end: looking for garbage among it takes a quarter of the time.
GENERATOR = "import gc, runpy; gc.disable(); runpy.run_module('zensical', run_name='__main__', alter_sys=True)"
EXPECTED = re.compile(r"Build (started|finished)( in .*)?|No issues found|")


def published(root: Path) -> dict[PurePosixPath, PurePosixPath]:
    """Return by the path of each published file in the repository its path on the site."""
    inside = [path for path in sorted((root / "docs").rglob("*")) if path.is_file()]
    beside = [path for pattern in BESIDE for path in sorted(root.glob(pattern))]
    places = {path: path.relative_to(root / "docs") for path in inside}
    places |= {path: path.relative_to(root) for path in beside}
    return {PurePosixPath(path.relative_to(root)): PurePosixPath(place) for path, place in places.items()}


def on_site(text: str, source: PurePosixPath, places: dict[PurePosixPath, PurePosixPath]) -> str:
    """Return a document as the site has it: links lead to where their targets are, and fences name a language alone."""

    def lead(found: re.Match[str]) -> str:
        target = PurePosixPath(os.path.normpath(source.parent / found[1]))
        return os.path.relpath(places[target], places[source].parent) if target in places else found[1]

    return LINK.sub(lead, NOT_RUN.sub(r"\1", text))


def build(folder: Path, root: Path = ROOT) -> str:
    """Build the site of a repository into a folder, which is replaced, and return what is wrong, "" if nothing is."""
    places = published(root)
    with tempfile.TemporaryDirectory() as staging:
        for source, place in places.items():
            copy = Path(staging, "docs", place)
            copy.parent.mkdir(parents=True, exist_ok=True)
            if source.suffix == ".md":
                copy.write_text(on_site((root / source).read_text("utf-8"), source, places), "utf-8")
            else:
                shutil.copyfile(root / source, copy)
        shutil.copyfile(root / "zensical.toml", Path(staging, "zensical.toml"))
        paths = os.pathsep.join([str(ROOT / "tools"), str(root / "src")])
        done = subprocess.run(
            [sys.executable, "-c", GENERATOR, "build", "--strict"],
            cwd=staging,
            env={**os.environ, "PYTHONPATH": paths, "NO_COLOR": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        said = [line for line in done.stdout.splitlines() if not EXPECTED.fullmatch(line.strip())]
        if done.returncode or said:
            return "\n".join([*said, f"the generator ended with {done.returncode}"])
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(Path(staging, "site"), folder)
    return ""


if __name__ == "__main__":
    sys.exit(build(Path(sys.argv[1])) or None)
