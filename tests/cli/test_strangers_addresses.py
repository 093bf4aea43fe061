"""An address that only a file names is never called: a connection would send the user's password to it."""

import json
import socket
from contextlib import contextmanager

import pytest

from ringtrue.core import InvalidInput
from ringtrue.report import _document, verify_report


@contextmanager
def listening():
    """Give the address of a host that must not be called, and fail if it was."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        yield f"postgresql://ann@127.0.0.1:{server.getsockname()[1]}/studies"
        with pytest.raises(TimeoutError):
            server.accept()


@pytest.fixture
def twin(cli, loans, tmp_path, monkeypatch):
    """What writes the twin of a large study, with another name in the place of its study's."""
    monkeypatch.setattr(_document, "LISTED", 2)
    assert cli("risk", "loans", "--oracle", "truth").code == 0
    assert cli("report", "loans").code == 0
    made = json.loads((tmp_path / "loans.json").read_text())

    def write(study):
        made["records"]["study"] = study
        made["hashes"] = _document.hashes(made)
        (tmp_path / "strange.json").write_text(json.dumps(made))
        return tmp_path / "strange.json"

    return write


ENTRIES = ('study = "{}#loans"', 'study = "loans"\npool = "{}"', 'study = "{}"')
"""How a claims file may name an address."""


@pytest.mark.parametrize("verb", [("report", "--verify"), ("doctor",)])
def test_that_of_a_twin(cli, twin, verb):
    with listening() as address:
        said = cli(*verb, twin(f"{address}#loans"))
    assert "127.0.0.1" not in said.out + said.err
    if verb[0] == "report":
        assert said.code == 2
        assert "which it names and you did not: name it, as in ringtrue report STUDY --verify" in said.line
        assert "cannot be recomputed" not in said.line
        assert "postgresql://HOST/DATABASE#loans" in said.line


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize("verb", ["check", "doctor"])
def test_that_of_a_claims_file(cli, loans, tmp_path, verb, entry):
    with listening() as address:
        table = entry.format(address)
        (tmp_path / "claims.toml").write_text(f'[[claim]]\nsays = "error <= 5% at 95%"\n{table}\n')
        said = cli(verb, "claims.toml")
        if table.startswith(f'study = "{address}') and verb == "check":
            assert said.code == 2
            assert f"type --journal {address.replace('ann@', '')} too" in said.line
    assert "Traceback" not in said.err


@pytest.mark.parametrize(
    "study",
    ["/etc/passwd", "../loans.ringtrue", "sub/loans.ringtrue", "\\\\host\\share\\loans", "C:loans", "..", ".", ""],
)
def test_a_twin_names_no_file_but_one_beside_it(twin, study):
    with pytest.raises(InvalidInput, match="which it names and you did not"):
        verify_report(twin(study))


def test_a_file_with_a_number_sign_in_its_name_is_a_file(cli, twin, loans, tmp_path):
    loans.rename(tmp_path / "run#3.ringtrue")
    said = cli("report", "--verify", twin("run#3.ringtrue"))
    assert said.code == 0, said.err
    said = cli("report", "run#3.ringtrue", "--verify", twin("elsewhere"))
    assert said.code == 0, said.err
