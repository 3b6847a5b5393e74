"""Calls and results that never were: of an id, a tool or a content that the session does not have.

A strategy may shorten or condense calls and results, put notes in their place, bring more of the
session there, call tools it declares itself, and write summaries under the user's or the model's
name. It may not show a call that was not made, a failed command as passed, or a result with none of
these: a line of the session, a word of the call or its result, the place of the original.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import takewhile

from loom.providers.render.message import CallBlock, ResultBlock
from loom_bench.judge import LOW, MetricColumn, Ruled, judge
from loom_bench.judges.sights import content_words, flat_lines, lines_of, once_each
from loom_bench.moment import SHOWN, BenchMoment, BenchRuling
from loom_bench.session import PressureSession
from loom_bench.sessions.needle import strings
from loom_bench.simulated.cues import verdict
from loom_bench.simulated.state import PASS
from loom_bench.truth.runs import SUMMARY, exits
from loom_bench.wires import ReadWire, texts

# A note of the strategy: in brackets or tags, with a sign or a word of omission.
NOTE = re.compile(
    r"^[\[<(#].*|…|\.\.\.|\b(?:omitted|elided|cleared|truncated|shortened|removed|hidden|left out"
    r"|dropped|cut|offloaded|stored|archived|moved|kept in|see |page|unchanged|same as|as above)\b",
    re.IGNORECASE,
)
# A line that tells where the original rests (a folder, a page) or how large it is (its lines).
RESTS = re.compile(
    r"→ *\S|\boutputs/\S|\b[a-z]+_\d{3,}\b"
    r"|\b\d[\d,]* (?:more )?(?:lines?|characters|tokens|bytes)\b"
)
PART = 20  # characters of an argument or a line by which it is known again


@judge(
    MetricColumn(
        "forged", "forged", "forged_requests", LOW, bars=True,
        about="requests with a call or a result that the session never had",
    ),
    MetricColumn(
        "altered", "altered", "", LOW, "", bars=True,
        about="sessions in which the strategy changed the history it was given",
    ),
)  # fmt: skip
def forged(session: PressureSession) -> Ruled:
    """Counts forged calls and results, and histories that were changed in place."""
    calls: dict[str, list[tuple[str, str]]] = {}  # id → (tool, arguments)
    results: dict[str, list[str]] = {}
    for wire in session.messages:
        for call in wire.get("tool_calls") or ():
            named = (call["function"]["name"], call["function"]["arguments"])
            calls.setdefault(call["id"], []).append(named)
        if wire.get("role") == "tool":
            said = "\n".join(texts(wire))
            results.setdefault(str(wire.get("tool_call_id", "")), []).append(said)
    tools = {tool for of in calls.values() for tool, _ in of}
    lines = lines_of(session.messages)
    made: set[str] = set()  # ids of calls of tools that the strategy declares

    def returned(block: ResultBlock) -> bool:
        asked = " ".join(" ".join(call) for call in calls.get(block.call_id, ()))
        said = results.get(block.call_id, ())
        return any(_came_of(block.text, one, asked, lines.__contains__) for one in said)

    def look(wire: ReadWire) -> Iterator[tuple[str, str]]:
        """(id, what is wrong with it) for each call and result of a message that never was."""
        for block in wire.message.blocks:
            if isinstance(block, CallBlock) and not any(
                block.name == tool and _shortened(block.arguments, given)
                for tool, given in calls.get(block.id, ())
            ):
                yield block.id, f"a call of {block.name} {block.arguments}"
            if isinstance(block, ResultBlock) and not returned(block):
                yield block.call_id, f"a result {' '.join(block.text.split())}"

    seen = once_each(lambda wire: tuple(look(wire)))

    def rule(moment: BenchMoment) -> BenchRuling | None:
        if moment.refused:
            return None
        declared = set(map(_tool_name, moment.tools)) - tools
        made.update(
            block.id
            for message in moment.messages
            for block in message.blocks
            if isinstance(block, CallBlock) and block.name in declared
        )
        never = [why for of in seen(moment.read) for id, why in of if id not in made]
        ruling = BenchRuling(faults=[f"forged: {why}"[:SHOWN] for why in never[:3]])
        ruling.sums.update(forged_requests=1, forged=int(bool(never)))
        return ruling

    return rule


def _came_of(shown: str, said: str, asked: str, known: Callable[[str], bool]) -> bool:
    """True for what a tool said, its part, digest or note; `known` tells the session's lines."""
    if shown == said:
        return True
    whole = " ".join(said.split())
    lines = flat_lines(shown)[1]
    own = {line for line in lines if known(line) or line in whole}
    made = "\n".join(line for line in lines if line not in own and not _is_part(line, whole))
    if not made:
        return True
    # What stands below a heading that names another place is of that place.
    above = takewhile(lambda line: not (line.startswith("[") and RESTS.search(line)), lines[1:])
    claims = "\n".join(line for line in (*lines[:1], *above) if line in made)
    if (exits(said) or SUMMARY.search(said)) and verdict(claims) == PASS:
        return False
    words = content_words(made) & content_words(f"{asked} {said}")
    return bool(own or words) or any(map(RESTS.search, lines))


def _tool_name(tool: Mapping[str, object]) -> str:
    """The name of a declared tool."""
    function = tool.get("function")
    named = function if isinstance(function, Mapping) else tool
    return str(named.get("name", ""))


def _shortened(shown: str, given: str) -> bool:
    """True when arguments are those given, or what is left of them when they are shortened."""
    if shown == given:
        return True
    whole = "\n".join((given, *strings(given)))
    return all(_is_part(one, whole) for one in strings(shown) or (shown,))


def _is_part(shown: str, whole: str) -> bool:
    """True for a text that a whole has, as it stands or at its beginning or end, and for a note."""
    flat = " ".join(shown.split())
    if not flat or NOTE.search(flat) or flat in whole or flat in " ".join(whole.split()):
        return True
    return len(flat) > PART and (flat[:PART] in whole or flat[-PART:] in whole)
