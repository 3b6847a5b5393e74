"""Options of the benchmarks: a number that makes no sense is refused before anything runs."""

from collections.abc import Iterable

import pytest

from benchmarks.__main__ import app
from benchmarks.ablate.command import JUDGES
from benchmarks.ablate.mechanisms import NAMES
from benchmarks.takeover import WAYS
from tests.kit.cases import all_cases

REFUSED = [
    ("needs", "--interleave", "-3", "0 or more"),
    ("needs", "--stretch", "0", "1 or more"),
    ("needs", "--limit", "-1", "0 or more"),
    ("ask", "--steps", "0", "1 or more"),
    ("ask", "--workers", "0", "1 or more"),
    ("fit", "--low-water", "2", "from 0 to 1"),
    ("fit", "--low-water", "nan", "from 0 to 1"),
    ("fit", "--rounds", "-1", "0 or more"),
    ("longterm", "--items", "-5", "1 or more"),
    ("tools", "--count", "0", "1 or more"),
    ("sweep", "--workers", "0", "1 or more"),
]


@all_cases(("command", "option", "value", "said"), REFUSED)
def test_a_number_that_makes_no_sense(
    command: str, option: str, value: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit 2 and a sentence that names the option and what it takes."""
    with pytest.raises(SystemExit) as ended:
        app([command, "--sessions", "nowhere", option, value] if command in ("needs", "fit") else
            [command, option, value])  # fmt: skip
    out, err = capsys.readouterr()
    assert ended.value.code == 2 and not out.startswith("{")
    assert option in out + err and said in out + err


@all_cases(("command", "names"), [("takeover", WAYS), ("ablate", NAMES), ("ablate", JUDGES)])
def test_help_has_the_names(
    command: str, names: Iterable[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever an option can name stands in the help, as the table has it."""
    with pytest.raises(SystemExit) as ended:
        app([command, "--help"])
    said = " ".join(capsys.readouterr().out.replace("│", " ").split())
    assert not ended.value.code and [name for name in names if name not in said] == []
