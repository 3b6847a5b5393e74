"""Every command in 80 and in 160 columns, and on a terminal without colour."""

from __future__ import annotations

import pytest

from loom.cli import main
from loom.cli.styled import columns_of
from tests.kit.cases import all_cases, each_value
from tests.kit.hostile import DRAWN
from tests.kit.terminals import commands_of, terminal
from tests.kit.ways_to_look import SENTENCES, TEXTS, WAYS, Sights

DEAR = ("demo", "bench")  # which run whole sessions: in one width
LOOKS = [
    (command, columns, colour)
    for columns, colour in each_value([80, 160], [True, False])
    for command in commands_of("loom")
    if columns == 160 or command not in DEAR
]


def test_every_command_has_a_way() -> None:
    """A new command comes with the way it is looked at here."""
    assert sorted(WAYS) == commands_of("loom")


@all_cases(("command", "columns", "colour"), LOOKS)
def test_on_a_terminal(
    sights: Sights, monkeypatch: pytest.MonkeyPatch, command: str, columns: int, colour: bool
) -> None:
    """Tables fit its width; nothing ends in a traceback. With NO_COLOR it is sent no escape but by
    what moves its cursor: a bar, a board."""
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.delenv("NO_COLOR", raising=False)
    if not colour:
        monkeypatch.setenv("NO_COLOR", "1")
    for given in WAYS[command](sights):
        with terminal() as told:
            main([command, *map(str, given)])
        assert told[0].strip() and "Traceback" not in told[0], given
        lines = DRAWN.sub("\n", told[0]).split("\n")
        if command not in TEXTS | SENTENCES:
            assert max(map(columns_of, lines)) <= columns, given
        styles = [code for code in DRAWN.findall(told[0]) if code.endswith("m")]
        assert colour or not styles, given
        assert styles or not colour or command != "diff", given
        assert colour or command in ("replay", "report", "bench") or "\x1b" not in told[0], given
