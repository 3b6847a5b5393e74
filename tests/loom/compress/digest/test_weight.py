"""Which commands are worth a line."""

from __future__ import annotations

from loom.compress.digest.fitting import body
from loom.compress.digest.groups import GROUPS, Grouped, bounded
from loom.compress.digest.weight import CHANGED, CHECKED, LOOKED, kept_first, weight, worth_a_line
from loom.providers.counts import counter_for
from loom.reduce.commands import parsed
from loom_partitions.message import Fact
from tests.kit.cases import all_cases


def ran(at: int, line: str, came: str = "ok", page: str = "") -> Fact:
    """A command that was run."""
    return Fact("ran", line, page, parsed(line).key, came, at=at)


def test_nothing_of_nothing() -> None:
    """Without commands nothing is kept and nothing is counted."""
    assert kept_first([], 3) == []
    assert worth_a_line([]) == []
    assert worth_a_line([Fact("user", "Hello.")]) == [Fact("user", "Hello.")]


@all_cases(
    ("line", "known"),
    [
        ("pytest -q", CHECKED),
        ("git diff --stat && pytest -q | tail -3", CHECKED),
        ("git add -A && git commit -m x", CHECKED),
        ("git -C sub push", CHECKED),
        ("gh pr create --title x", CHECKED),
        ("python move.py", CHANGED),
        ("sed -i s/a/b/ x.py", CHANGED),
        ("git branch -D old", CHANGED),
        ("find . -name '*.pyc' -delete", CHANGED),
        ("rg -l x | xargs rm", CHANGED),
        ("cat > /tmp/x.py <<EOF\nx\nEOF", CHANGED),
        ("for f in a b; do rm $f; done", CHANGED),
        ("gh api repos/x", CHANGED),
        ("ls -la", LOOKED),
        ("cd web && cat a.py | head -20", LOOKED),
        ("mkdir -p a/b", LOOKED),
        ("pwd", LOOKED),
        ("sed -n 1,20p a.py", LOOKED),
        ("grep -rn x src 2>/dev/null", LOOKED),
        ("git status --short", LOOKED),
        ("gh pr view 3", LOOKED),
    ],
)
def test_the_weight_of_a_command(line: str, known: int) -> None:
    """Checks and what is shared come first, then what changes something, then what only looks."""
    assert weight(ran(1, line)) == known


def test_a_look_that_failed_is_told() -> None:
    """What only looked is left out, counted, but where it failed or has a page."""
    facts = [
        ran(1, "ls -la"), ran(2, "mkdir -p a"), ran(3, "ls nowhere", "fails (exit 2)"),
        ran(4, "cat a.py", page="shell_0001"), ran(5, "pytest", "passes"),
        ran(6, "cat b", "no result"),
    ]  # fmt: skip
    kept = worth_a_line(facts)
    assert [fact.at for fact in kept if fact.kind == "ran"] == [3, 4, 5, 6]
    assert kept[-1] == Fact("more", "ran", times=2)
    text = body(Grouped(bounded(kept)), GROUPS, 1_000, counter_for())
    assert "\n ran; 2 more on its page:" in text


def test_checks_outlast_newer_commands() -> None:
    """In a small room the old check and the old commit stand, and not the newest commands."""
    facts = [ran(1, "pytest -q", "passes"), ran(2, "git commit -m 'mend the parser'")]
    facts += [ran(3, "python fill.py", page="shell_0001")]
    facts += [ran(at, f"cat part_{at}.txt", page=f"shell_{at:04d}") for at in range(4, 60)]
    text = body(Grouped(bounded(facts)), GROUPS, 220, counter_for())
    assert "pytest -q" in text
    assert "git commit" in text
    assert "fill.py" in text
    assert "part_59" in text or "part_58" in text
    assert "part_4.txt" not in text


def test_checks_are_carried_before_looks() -> None:
    """Of more commands than are carried on, looks are dropped before an older check."""
    facts = [ran(1, "pytest -q", "passes")]
    facts += [ran(at, f"cat part_{at}.txt", page=f"shell_{at:04d}") for at in range(2, 150)]
    kept = bounded(facts)
    assert kept[0].text == "pytest -q"
    assert kept[-2].text == "cat part_149.txt"
    assert kept[-1].kind == "more"
