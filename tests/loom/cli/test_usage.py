"""What makes no sense is told by every command alike."""

from __future__ import annotations

from pathlib import Path

from tests.kit.cases import all_cases
from tests.loom.cli.conftest import Run

# Words, with DIR for a workspace and FILE for a recorded session; what the error names.
USAGES = [
    ("cat DIR read_9999", "read_9999"),
    ("cat DIR read_0001 --lines x-y", "x-y"),
    ("cat DIR read_0001 --pointer /a", "not JSON"),
    ("cat DIR read_0001 --lines 1 --grep a", "one part at a time"),
    ("gc DIR --ttl shell", "give"),
    ("gc DIR --ttl shell=soon", "give"),
    ("gc DIR --ttl message=5m", "message"),
    ("gc DIR --quota 5XB", "give"),
    ("log DIR --kind Frobbed", "Replied"),
    ("log DIR --limit 0", "--limit"),
    ("log DIR --turns --kind Heard", "--turns and --kind"),
    ("replay", "FILE"),
    ("replay FILE --preset bold", "--preset"),
    ("replay FILE --workers -1", "--workers"),
    ("report none", "no such file"),
    ("report DIR --limit-mb 0", "--limit-mb"),
    ("signal DIR", "TEXT"),
    (f"signal DIR {'a' * 201}", "200 characters"),
    ("signal DIR hello --urgency soon", "soon"),
    ("signal DIR hello --id a\nb", "id"),
    ("top DIR --interval 0", "--interval"),
]


@all_cases(("words", "named"), USAGES)
def test_what_makes_no_sense(
    run: Run, replayed: Path, recorded: Path, home: Path, words: str, named: str
) -> None:
    """It is one line that says what is wrong, and exit 2; nothing is done."""
    places = {"DIR": replayed, "FILE": recorded / "short.jsonl", "''": ""}
    code, out, err = run(*(places.get(one, one) for one in words.split(" ")))
    assert (code, out) == (2, "") and named in err and err.count("\n") == 1
    assert not [*replayed.glob("inbox/*")]
