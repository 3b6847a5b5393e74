"""Commands that ran again: what an earlier run printed does not come back."""

from __future__ import annotations

from loom.compress.worth.ahead import touched_since
from tests.kit.cases import all_cases
from tests.kit.opened import Open
from tests.kit.scene import catalog
from tests.kit.step import act

ONE = "".join(f"line {n} of what the first run printed\n" for n in range(60))
TWO = ONE.replace("first", "second")
REFUSED = "refused 'pytest': not among the programs allowed here"


@all_cases(
    ("again", "result", "error", "comes"),
    [
        ("pytest -q b.py", TWO, False, True),
        ("pytest -q", REFUSED, True, True),
        ("pytest -q", TWO, False, False),
        ("pytest -q", TWO, True, False),
        ("pytest -q | tail -40", TWO, True, False),
    ],
)
def test_the_output_of_an_earlier_run_stays_away(
    opened: Open, again: str, result: str, error: bool, comes: bool
) -> None:
    """Failed or not, behind a filter or not, a later run has the word; a refused one is no run."""
    ctx = opened()
    one = act(ctx, "Bash", {"command": "pytest -q"}, ONE).id
    act(ctx, "Bash", {"command": again}, result, error=error)
    made = catalog(ctx)
    keys = {unit.key for unit in made.of_entry[one] if unit.where == "result"}
    back = set(touched_since(made, 1))
    assert keys and (keys <= back if comes else not keys & back)


def test_a_command_does_not_come_without_its_output(opened: Open) -> None:
    """The text of a command says nothing of what came of it: it is not read ahead."""
    ctx = opened()
    script = "cat notes.txt\n" + "".join(f"echo a long line of a script {n}\n" for n in range(60))
    step = act(ctx, "Bash", {"command": script}, ONE).id
    made = catalog(ctx)
    said = {unit.key for unit in made.of_entry[step] if unit.where == "call"}
    assert said and not said & set(touched_since(made, 1))
