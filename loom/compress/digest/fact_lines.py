"""How facts are written: commands with their outcomes, files by folder, messages in order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from loom.compress.digest.check_facts import PASSED_BEFORE, is_check_fact, rerun_note
from loom.compress.digest.entry_facts import LATEST, entry_name_of
from loom.compress.digest.fact_groups import FactGroup
from loom.reduce.reply_facts import SHORTENED
from loom.reduce.result_facts import REVERTED
from loom.reduce.tasks import WHOLE
from loom.reduce.verdict import FAILS, is_failed
from loom.text import blank_controls, one_line
from loom_partitions.message import Fact

LINES = 4_096  # that are remembered: digests are made of the same ones again and again
LEAST = 2  # folders that make it worth to name the one above them once
STATES = {"todo": "[ ]", "doing": "[>]", "done": "[x]"}
FAILED = "failed"  # in place of `fails` where a later run had an outcome nobody saw
VERBS = {"Edited": "edit", "Wrote": "write", "Created": "write"}
REFS = 2  # names shown of one thing
ROW = "\n  "  # before a line of its own
GAP = " …"  # where sentences of a message are left out


class FactLine(NamedTuple):
    """A fact as a line of text. `above` is the folder or message to which the line belongs. `short`
    is a shorter form of the text, "" for none."""

    fact: Fact
    text: str
    above: str
    short: str

    @property
    def row(self) -> str:
        """Return the text with a line break and indent before it."""
        return ROW + self.text


def fact_lines(group: FactGroup, facts: Sequence[Fact], root: str = "") -> list[FactLine]:
    """Return the lines of a group's facts, without control characters. `root` is a folder removed
    from the start of paths."""
    if group.kinds in (("failing",), ("error",)):
        return _failure_lines(facts)
    if group.kinds == ("id",):
        return [_printable_line(fact, id) for fact in facts for id in _ids_in_order(fact)]
    form = group.shape if group.shape in ("tree", "said") else group.kinds[0]
    return [_line_of_one_fact(fact, form, root) for fact in facts]


def _printable_line(fact: Fact, text: str, above: str = "", short: str = "") -> FactLine:
    """Return the line of a fact, with blanks for the control characters in its texts."""
    return FactLine(fact, blank_controls(text), blank_controls(above), blank_controls(short))


@lru_cache(maxsize=LINES)
def _line_of_one_fact(fact: Fact, form: str, root: str) -> FactLine:
    """Return the line of one fact. `form` is "tree" for a file, "said" for a message, else the kind
    of the fact's group. `root` is a folder removed from the start of paths."""
    if form == "tree":
        return _file_line(fact, root)
    if form == "said":
        latest = f" ({LATEST})" if fact.came == LATEST else ""
        return _printable_line(fact, fact.text, f"{entry_name_of(fact)}{latest}")
    if form == "lost":
        asked = f"`{fact.text}`" if fact.kind == "ran" else f"{fact.kind} {fact.text}"
        return _printable_line(fact, asked.removeprefix("call ") + _source_note(fact))
    return _printable_line(fact, _fact_text(fact))


def _ids_in_order(fact: Fact) -> list[str]:
    """Return the ids of a fact, newest first; ids that calls used come before all others."""
    seen = fact.text.split()
    used = [id for id in reversed(fact.refs.split()) if id in seen]
    return list(dict.fromkeys((*used, *reversed(seen))))


def _refused_text(fact: Fact) -> str:
    """Return the text of a refused call: what was asked for, then the words of the refusal."""
    said = f": > {fact.came}" if fact.came else ""
    verb, _, path = fact.text.partition(" ")
    call = f"{VERBS[verb]} {path}" if verb in VERBS else f"`{fact.text}`"
    return f"{call}{_source_note(fact)}{said}"


def _failure_lines(facts: Sequence[Fact]) -> list[FactLine]:
    """Return one line for each failed command or call, with its errors."""
    errors: dict[str, list[str]] = {}
    for fact in facts:
        if fact.kind == "error":
            errors.setdefault(fact.about, []).append(fact.text)
    runs = {fact.about for fact in facts if fact.kind == "ran"}
    lines = []
    for fact in facts:
        if fact.kind == "ran":
            said = "; ".join(errors.get(fact.about, ()))
            short = _fact_text(fact)
            note = rerun_note(short)  # it is of the run, not of what its errors name
            if short.removesuffix(note).endswith(PASSED_BEFORE):
                note = PASSED_BEFORE + note
            came = short.removesuffix(note)
            lines.append(
                _printable_line(fact, f"{came}: {said}{note}" if said else short, "", short)
            )
        elif fact.about in errors and fact.about not in runs:
            said = "; ".join(errors.pop(fact.about))
            call = one_line(_without_repeated_name(fact.about), 120)
            lines.append(_printable_line(fact, f"{call} failed: {said}{_source_note(fact)}"))
    return lines


def _without_repeated_name(about: str) -> str:
    """Return the name of a call without a repeated tool name: "pytest pytest -q" → "pytest -q"."""
    name, _, line = about.partition(" ")
    return line if name and line.startswith(name) else about


def _fact_text(fact: Fact) -> str:
    """Return the text of a fact, such as a task with its state or a command with its outcome."""
    if fact.kind == "task":
        # Calls that stand behind it name an item by its number.
        number = f"#{fact.about} " if fact.about.isdigit() and fact.refs != WHOLE else ""
        return f"{STATES.get(fact.came, '[ ]')} {number}{fact.text}"
    if fact.kind == "ran":
        often = f" ×{fact.times}" if fact.times > 1 else ""
        note = rerun_note(fact.came)
        came = fact.came.removesuffix(note)
        came = FAILED + came.removeprefix(FAILS) if note and is_failed(came) else came
        last, semicolon, before = came.partition(";")  # its names are those of the last outcome
        return f"`{fact.text}`{often} → {last}{_source_note(fact)}{semicolon}{before}{note}"
    if fact.kind == "call":
        return f"{fact.text}{_source_note(fact)}"
    if fact.kind == "refused":
        return _refused_text(fact)
    if fact.came == SHORTENED:
        return f"{fact.text} ({entry_name_of(fact)})"
    if fact.kind == "told":
        return f"> {fact.text}"
    if fact.kind == "observation":
        return f"> {fact.text} ({entry_name_of(fact)})"
    return fact.text


def _source_note(fact: Fact) -> str:
    """Return a note with the names under which a fact's text can be read again, such as "
    (step_0003; output shell_0001)"; "" if there are none."""
    names = fact.refs.split()[-REFS:]
    step = entry_name_of(fact) if not names or (fact.kind == "ran" and is_check_fact(fact)) else ""
    often = fact.kind == "ran" and fact.times > 1
    last, outputs = ("last run ", "outputs ") if often else ("", "output ")
    told = (f"{last}{step}" if step else "", ", ".join(names))
    return f" ({f'; {outputs}'.join(one for one in told if one)})" if any(told) else ""


def _file_line(fact: Fact, root: str) -> FactLine:
    """Return the line of a file: its name, what was done to it, and the names under which its text
    can be read again. `root` is a folder removed from the start of paths."""
    folder, _, name = fact.text.removeprefix(root).rpartition("/")
    folder = f"{folder}/" if folder else "./" if root else ""
    name = f'"{name}"' if " " in name or "\\" in name else name  # where it ends is seen
    if fact.text == ".":
        folder, name = "", "some files of the working folder"
    if fact.kind == "read":
        # A page of a part of the file has its lines behind it.
        names = [name.replace("(", " (") for name in fact.refs.split()] or [entry_name_of(fact)]
        return _printable_line(
            fact, " ".join((name, *names)), folder, " ".join((name, *names[-1:]))
        )
    verb = "wrote" if fact.kind == "write" else "edited" if fact.times else ""
    often = f" ×{fact.times}" if fact.times > 1 else ""
    came = f" {fact.came}" if fact.came and verb else ""  # without a verb the heading says it
    if fact.came == REVERTED:
        came = f", then {fact.came}" if verb else fact.came
    said = " ".join(f"{name} {verb}{often}{came}".split()) + f" ({entry_name_of(fact)})"
    short = f"{name} {REVERTED if fact.came == REVERTED else verb}".rstrip()
    return _printable_line(fact, said, folder, short)


def join_lines(group: FactGroup, lines: Mapping[int, FactLine]) -> str:
    """Return the lines, by index, as one text to be put below the group's heading."""
    shown = sorted(lines.items())
    if group.shape == "said":
        return _join_by_message(shown)
    if group.shape == "words":
        return " " + ", ".join(line.text for _, line in shown)
    if group.shape == "tree":
        return _join_by_folder(line for _, line in shown)
    return "".join(line.row for _, line in shown)


def _join_by_folder(lines: Iterable[FactLine]) -> str:
    """Return the lines as text, one row per folder: "src/: a.py edited, b.py"."""
    folders: dict[str, list[str]] = {}
    for line in lines:
        folders.setdefault(line.above, []).append(line.text)
    return "".join(
        f"{ROW}{folder}{': ' if folder else ''}{', '.join(names)}"
        for folder, names in folders.items()
    )


def _join_by_message(shown: Iterable[tuple[int, FactLine]]) -> str:
    """Return (index, line) pairs as text, grouped by message. GAP marks left-out lines."""
    out: list[str] = []
    message = row = ""
    last = 0
    for at, line in shown:
        gap = GAP if line.above == message and at > last + 1 else ""
        if line.above != message or row == "":
            out.append(f"{ROW}{f'{line.above}: ' if line.above else ''}{line.text}")
        else:
            joint = " " if line.fact.about == row else f"{ROW}  "
            out.append(f"{gap}{joint}{line.text}")
        message, row, last = line.above, line.fact.about, at
    return "".join(out)


@lru_cache(maxsize=16)
def common_folder(paths: tuple[str, ...]) -> str:
    """Return the folder, ending in a slash, that saves the most characters if it is named once and
    removed from the paths; "" if there is none."""
    folders: Counter[str] = Counter()
    for folder in {path.rpartition("/")[0] for path in paths if path.startswith("/")}:
        parts = folder.split("/")
        folders.update("/".join(parts[:end]) for end in range(3, len(parts) + 1))
    if not folders:
        return ""
    best = max(folders, key=lambda folder: ((folders[folder] - 1) * len(folder), folder))
    return best + "/" if folders[best] >= LEAST else ""
