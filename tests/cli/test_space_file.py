"""The space file: what it may hold, and one line for everything else."""

import pytest

from ringtrue.cli._opening import read_space
from ringtrue.core import InvalidInput
from ringtrue.worst.spaces import AtMost, Choice, Integer, Real, SearchSpace

FULL = """
name = "alloy"
tasks = ["AL6MN", "QPHASE"]
[parameters]
Mn = { low = 0, high = 1 }
Cr = { low = 0.01, high = 1.0 }
rate = { low = 1e-4, high = 1.0, log = true }
layers = { low = 1, high = 8, integer = true }
heat = { low = 250, high = 400, step = 5 }
solvent = { options = ["water", "ethanol"] }
[[constraints]]
at_most = 1.5
of = ["Cr", "Mn"]
[[constraints]]
at_most = 0.0
weights = { Cr = 1.0, Mn = -2.0 }
[input_noise]
Cr = 0.05
"""


def written(tmp_path, text):
    file = tmp_path / "alloy space.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_a_full_file(tmp_path):
    space, rest = read_space(written(tmp_path, FULL))
    assert space == SearchSpace(
        [
            Real("Mn", 0, 1), Real("Cr", 0.01, 1.0), Real("rate", 1e-4, 1.0, log=True), Integer("layers", 1, 8),
            Real("heat", 250, 400, step=5), Choice("solvent", ("water", "ethanol")),
        ],
        constraints=[AtMost({"Cr": 1.0, "Mn": 1.0}, 1.5), AtMost({"Cr": 1.0, "Mn": -2.0}, 0.0)],
        name="alloy",
    )  # fmt: skip
    assert rest == {"tasks": ["AL6MN", "QPHASE"], "input_noise": {"Cr": 0.05}}


def test_a_short_file_is_named_after_itself(tmp_path):
    space, rest = read_space(written(tmp_path, "[parameters]\nx = { low = 0, high = 1 }"))
    assert (space.name, space.names, rest) == ("alloy space", ("x",), {})


ONE = "[parameters]\nx = { low = 0, high = 1 }\n"
BAD = [
    ("", "space has no parameters: write [parameters] with lines such as"),
    ("parameters = 3", "space has no parameters"),
    ("[parameters", "is not TOML ("),
    (ONE + "[extra]\ny = 1", "has the unknown key 'extra': use name, parameters, constraints, tasks, scales"),
    ("name = 3\n" + ONE, "space name=3 must be a text"),
    ("[parameters]\nx = 3", "parameter 'x' is 3: write { low = 0, high = 1 }"),
    ("[parameters]\nx = { low = 0 }", "parameter 'x' has no 'high': write"),
    ("[parameters]\nx = { low = 0, hihg = 1 }", "parameter 'x' has the unknown key 'hihg': use low, high, log"),
    ("[parameters]\nx = { options = [1, 2], low = 1 }", "parameter 'x' has the unknown key 'low': use options"),
    ("[parameters]\nx = { low = 0, high = 1, integer = 1 }", "parameter 'x': integer=1 must be true or false"),
    ("[parameters]\nx = { low = 2, high = 1 }", "parameter 'x': low=2 must be below high=1"),
    ("[parameters]\nx = { low = nan, high = 1 }", "parameter 'x': low=nan must be a finite number"),
    ("[parameters]\nx = { low = 0, high = 1, log = true }", "must be above 0 on a log scale"),
    ("[parameters]\ntask = { low = 0, high = 1 }", "parameter 'task' has the name"),
    ('constraints = "x"\n' + ONE, "space constraints must be a list of tables: write [[constraints]]"),
    ("constraints = [3]\n" + ONE, "constraint 3 is not a table: write at_most"),
    (ONE + "[[constraints]]\nat_most = 1", "is not complete, or says it twice: write at_most"),
    (ONE + "[[constraints]]\nof = ['x']", "is not complete"),
    (ONE + "[[constraints]]\nat_most = 1\nof = ['x']\nweights = { x = 1 }", "says it twice"),
    (ONE + "[[constraints]]\nat_most = 1\nof = 'x'", "constraint of='x' must be a list of names"),
    (ONE + "[[constraints]]\nat_most = 1\nof = [1]", "constraint of=[1] must be a list of names"),
    (ONE + "[[constraints]]\nat_most = 1\nof = ['x', 'x']", "names a parameter twice: write weights instead"),
    (ONE + "[[constraints]]\nat_most = 1\nof = ['y']", "constraint y <= 1 names 'y', which is not a parameter: use x"),
    (ONE + "[[constraints]]\nat_most = 1\nfo = ['x']", "constraint has the unknown key 'fo': use at_most, of, weights"),
    (ONE + "[[constraints]]\nat_most = 'a'\nof = ['x']", "constraint at_most='a' must be a finite number"),
    (ONE + "[[constraints]]\nat_most = -1\nof = ['x']", "constraint x <= -1 leaves nothing"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "said"), BAD, ids=[said for _, said in BAD])
def test_everything_else_is_refused_in_one_line_with_the_file(tmp_path, text, said):
    with pytest.raises(InvalidInput) as refused:
        read_space(written(tmp_path, text))
    message = str(refused.value)
    assert said in message
    assert message.startswith("space file ")
    assert "alloy space.toml'" in message
    assert "\n" not in message


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(InvalidInput, match=r"space file '.*none.toml' does not exist: write \[parameters\]"):
        read_space(tmp_path / "none.toml")
    with pytest.raises(InvalidInput, match="cannot be read"):
        read_space(tmp_path)
    (tmp_path / "latin.toml").write_bytes(b'name = "\xe9"')
    with pytest.raises(InvalidInput, match="is not UTF-8 at byte 8: save it as UTF-8"):
        read_space(tmp_path / "latin.toml")
