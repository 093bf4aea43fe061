"""A small study of each question for the kill loop: its files, and the commands whose labels a real oracle sells."""

import shlex
from dataclasses import dataclass

from support.oracle_process import label

ITEMS = 1500
STUDY = "s.ringtrue"

# The desk knows nothing itself: it calls the oracle, which is another process.
DESK = """
import http.client, json

def label(item):
    oracle = http.client.HTTPConnection("127.0.0.1", {port})
    oracle.request("POST", "/{name}", json.dumps({{"instances": [item]}}))
    return json.load(oracle.getresponse())["predictions"][0]

def zero(rows):
    return [0.0 for row in rows]
"""
OTHER = {"yes": "no", "no": "yes"}


@dataclass(frozen=True)
class Case:
    """A question as it is asked here.

    Args:
        batch: the labels that a run has out at most.
        long: options of a study that outlives sixty kills.
        short: options of one that outlives a few.
        command: what asks; {address} is that of the oracle.
        init: what makes the study, where that is a command of its own; it is given the options.
        keeps_begun: whether an interrupted run waits for the calls under way, so that none is lost.
        steady: whether it needs as many labels where some were asked past a query that is out elsewhere.
        foresees: whether it then asks the same, too.
    """

    batch: int
    long: str
    short: str
    command: str
    init: str = ""
    keeps_begun: bool = False
    steady: bool = False
    foresees: bool = False

    def commands(self, address, *, full):
        """Return what makes the study, where that is a command of its own, and what asks, in words."""
        size = shlex.split(self.long if full else self.short)
        init, ask = shlex.split(self.init), shlex.split(self.command.format(address=address))
        return ([*init, *size], ask) if init else ([], [*ask, *size])


CASES = {
    "risk": Case(
        3,
        "--claim 'error <= 0.8% at 95%'",
        "--claim 'error <= 12% at 95%'",
        "risk s --oracle desk:label --workers 3",
        init="init s --pool pool.csv --model predicted --batch 3",
        keeps_begun=True,
        steady=True,
        foresees=True,
    ),
    "changed": Case(
        4,
        "--claim 'change <= 1.5% at 95%'",
        "--claim 'change <= 12% at 95%'",
        "changed s --old pool.csv --answer predicted --truth none --confidence none --features n --model {address} "
        "--noise 0 --batch 4",
    ),
    "worst": Case(
        1,
        "--budget 130",
        "--budget 10",
        "worst s --space space.toml --model desk:zero --oracle {address}",
        steady=True,
    ),
    "blind": Case(
        2,
        "--budget 240 --features n",
        "--budget 16",
        "blind s --pool pool.csv --model predicted --confidence score --oracle desk:label --batch 2 --gallery 0 "
        "--distance none --no-variations",
        steady=True,
    ),
    "judges": Case(
        1,
        "--budget 600 --claim 'accuracy >= 90%'",
        "--budget 100 --claim 'accuracy >= 65%'",
        "judges votes.csv --judges ann,bob,cyd --study s --oracle desk:label",
    ),
}


def lay(folder, port):
    """Write the files of all cases into a new folder; the oracle knows them by its name."""
    folder.mkdir()
    (folder / "desk.py").write_text(DESK.format(port=port, name=folder.name))
    (folder / "space.toml").write_text("[parameters]\nx = { low = -2.0, high = 2.0 }\n")
    truth = [label(n) for n in range(ITEMS)]
    said = [OTHER[right] if n % 500 == 0 else right for n, right in enumerate(truth)]
    lines = [f"{n},{n},{answer},{0.7 + n % 29 / 100:.2f}" for n, answer in enumerate(said)]
    (folder / "pool.csv").write_text("\n".join(["id,n,predicted,score", *lines]) + "\n")
    votes = [",".join(OTHER[right] if n % one == 0 else right for one in (19, 17, 13)) for n, right in enumerate(truth)]
    lines = [f"{n},{n},{cast}" for n, cast in enumerate(votes)]
    (folder / "votes.csv").write_text("\n".join(["id,n,ann,bob,cyd", *lines]) + "\n")


def told(record):
    """Return what a record of a study says the oracle answered, as the oracle's account has it."""
    what = int(record.id) if record.point is None else record.point[0]
    return what, record.value
