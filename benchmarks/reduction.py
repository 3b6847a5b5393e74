"""`reduction`: large results through each strategy, and what is left of them.

`loom` is the reducer under test; the rest is what it is compared with. Other packages conflict with
ours and each other, so `peer_worker.py` is run by an interpreter that has the package and answers
lines of JSON. Peers decide themselves how small a result gets: read their tokens beside their
shares.
"""

from __future__ import annotations

import json as jsons
import os
import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
from msgspec import Struct

from benchmarks.options import CommandResult, FromOne, Names, Sessions, measuring
from benchmarks.seed_compaction import compact
from benchmarks.show import by_row, on_stderr
from loom.inputs import Reply, Result, Session, User
from loom.providers.counts import counter_for
from loom.reduce.arguments import parse
from loom.reduce.preview import preview
from loom.replay.importers import find, load
from loom_bench.errors import BadBench
from loom_bench.recorded.labels import SCORED, labels_of, read, recorded
from loom_bench.sessions.needle import held

LIMIT = 4_000  # characters: the seed's limit
LOOM = "loom"
GAP = "\n…\n"
PAGE = "outputs/result_{:04d}.txt"  # the page a result rests in, named as Loom names them
PEERS = {"headroom": "headroom-ai", "distil": "distil-llm"}  # name → package to install
WORKER = Path(__file__).with_name("peer_worker.py")
PATIENCE = 3_600.0  # seconds a peer may take for all results
# Nothing is fetched at run time: the way out is a port where nobody listens, and models that are
# not there are done without.
NOWHERE = "http://127.0.0.1:9"
OFFLINE = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    **dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), NOWHERE),
}
HEADS = {
    "mean_tokens": "tokens", "json_valid": "JSON", "needles_kept": "needles",
    "pointer": "pointer", "over_limit": "over", "errors": "errors",
}  # fmt: skip


class Large(Struct, frozen=True):
    """A result above the limit, as a strategy is given it.

    `objective` is the last message of the user before it, "" without one; `json` tells whether the
    whole text is one JSON object or array; `needles` (number of the label, exact text) are those a
    call after it needed.
    """

    text: str
    ref: str
    objective: str
    json: bool
    needles: tuple[tuple[str, str], ...] = ()


class Short(Struct, frozen=True):
    """A result made short, the names the whole could be had by, or what went wrong."""

    text: str = ""
    names: tuple[str, ...] = ()
    error: str = ""


def large(paths: Iterable[Path], limit: int) -> list[Large]:
    """The results of session files above `limit` characters, in order. Raises BadSession.

    A needle that stood in several of them is in each.
    """
    found: list[Large] = []
    for path in paths:
        labelled = labels_of(path).is_file()
        for session in [recorded(path)[0]] if labelled else load(path):
            needed = list(_needed(path, session)) if labelled else []
            objective = ""
            for at, event in enumerate(session.events):
                if isinstance(event, User):
                    objective = event.text
                elif isinstance(event, Result) and len(event.text) > limit:
                    text, ref = event.text, PAGE.format(len(found))
                    later = ((label, one) for place, label, one in needed if place > at)
                    kept = tuple((label, one) for label, one in later if held(one, text))
                    found.append(Large(text, ref, objective, parse(text) is not None, kept))
    return found


def _needed(path: Path, session: Session) -> Iterator[tuple[int, str, str]]:
    """(place of the reply whose call needs it, label, exact text)."""
    replies = {one.index: at for at, one in enumerate(session.events) if isinstance(one, Reply)}
    for number, label in enumerate(read(path)):
        if label.kind in SCORED and label.needle and label.call in replies:
            yield replies[label.call], f"{path}:{number}", label.needle


def head_tail(text: str, limit: int) -> str:
    """The first and the last characters, half of the room each."""
    room = max(0, limit - len(GAP))
    return text[: room - room // 2] + GAP[:limit] + text[len(text) - room // 2 :]


STRATEGIES: dict[str, Callable[[Large, int], str]] = {
    LOOM: lambda one, limit: preview(one.text, limit, one.ref, one.objective),
    "head_tail": lambda one, limit: head_tail(one.text, limit),
    "seed": lambda one, limit: compact(one.text, limit),
}


def by_peer(name: str, python: str, results: Sequence[Large]) -> list[Short]:
    """The results through a package, run by an interpreter that has it. Raises BadBench."""
    asked = [jsons.dumps({"text": one.text, "objective": one.objective}) for one in results]
    with TemporaryDirectory(prefix="loom-reduction-") as home:
        try:
            done = subprocess.run(
                [python, "-I", str(WORKER), name],
                input="\n".join([*asked, ""]),
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=home,
                env={**os.environ, **OFFLINE, "HOME": home, "XDG_CACHE_HOME": home},
                timeout=PATIENCE,
                text=True,
                encoding="utf-8",
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise BadBench(f"{name}: {error}") from error
    made = [Short(**jsons.loads(line)) for line in done.stdout.splitlines()]
    return made + [Short(error="its process ended")] * (len(results) - len(made))


def figures(results: Sequence[Large], made: Sequence[Short], limit: int) -> dict[str, Any]:
    """The figures of one strategy; shares are 0 to 1, None of nothing.

    A needle is kept when one of the results it stood in still holds it.
    """
    count = counter_for()
    pairs = [(one, short) for one, short in zip(results, made, strict=True) if not short.error]
    sound = [_is_json(short.text) for one, short in pairs if one.json]
    wanted = {label for one in results for label, _ in one.needles}
    kept = {label for one, s in pairs for label, text in one.needles if held(text, s.text)}
    named = sum(any(name and name in short.text for name in short.names) for short in made)
    return {
        "mean_tokens": round(fmean(count(short.text) for _, short in pairs)) if pairs else None,
        "json_valid": _share(sum(sound), len(sound)),
        "needles_kept": _share(len(kept), len(wanted)),
        "pointer": _share(named, len(made)),
        "over_limit": sum(len(short.text) > limit for short in made),
        "errors": len(made) - len(pairs),
    }


def _is_json(text: str) -> bool:
    """True when the whole text is one JSON value: nothing beside it, no NaN, no Infinity."""
    try:
        msgspec.json.decode(text)
    except (ValueError, RecursionError):
        return False
    return True


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


@measuring
def reduction(
    *,
    sessions: Sessions,
    limit: FromOne = LIMIT,
    strategy: Names = None,
    peer_python: Names = None,
) -> CommandResult:
    """Reduce the large tool results of sessions, and look for what later calls needed of them.

    Parameters
    ----------
    sessions
        Files or folders of recorded sessions; labels beside them say what was needed.
    limit
        Characters a result is reduced to; only longer ones are.
    strategy
        Names of what is measured; without any, all that are built in and the peers given.
    peer_python
        NAME=PATH: the interpreter that has the package of a peer, headroom or distil.
    """
    pythons = dict(one.partition("=")[::2] for one in peer_python or ())
    if wrong := [name for name, path in pythons.items() if name not in PEERS or not path]:
        raise BadBench(f"--peer-python {wrong[0]}: give {'=PATH or '.join(PEERS)}=PATH")
    names = list(dict.fromkeys(strategy or (*STRATEGIES, *pythons)))
    if unknown := [name for name in names if name not in (*STRATEGIES, *pythons)]:
        needs = f"; {PEERS[unknown[0]]} needs --peer-python" if unknown[0] in PEERS else ""
        raise BadBench(f"--strategy {unknown[0]}: there are {', '.join(STRATEGIES)}{needs}")
    results = large(find(sessions), limit)
    if not results:
        raise BadBench(f"--sessions: no result there has more than {limit} characters")
    found = {}
    for name in names:
        if name in pythons:
            made = by_peer(name, pythons[name], results)
        else:
            made = [Short(STRATEGIES[name](one, limit), (one.ref,)) for one in results]
        found[name] = figures(results, made, limit)
        on_stderr(f"{name}: {found[name]['mean_tokens']} tokens")
        for one in list(dict.fromkeys(short.error for short in made if short.error))[:3]:
            on_stderr(f"{name}: {one}")
    report = {
        "limit": limit,
        "results": len(results),
        "json_results": sum(one.json for one in results),
        "needles": len({label for one in results for label, _ in one.needles}),
        "strategies": found,
    }
    title = f"Reduction of {len(results):,} results to {limit:,} characters"
    ours = found.get(LOOM, {})
    bad = {
        "JSON that is none": ours.get("json_valid", 1.0) not in (None, 1.0),
        "errors": ours.get("errors"),
        "results over the limit": ours.get("over_limit"),
    }
    missed = [f"{LOOM} makes {what}" for what, made in bad.items() if made]
    return CommandResult(report, [by_row(title, found, HEADS)], missed=missed)
