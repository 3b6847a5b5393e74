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
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
from msgspec import Struct

from benchmarks.options import CommandResult, FromOne, Names, Sessions, measuring
from benchmarks.show import by_row, on_stderr
from loom.inputs import Reply, Result, User
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
PROXIES = ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY")
OFFLINE = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", **dict.fromkeys(PROXIES, NOWHERE)}
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
        labels = list(enumerate(read(path))) if labels_of(path).is_file() else []
        for session in [recorded(path)[0]] if labels_of(path).is_file() else load(path):
            events = session.events
            replies = {one.index: at for at, one in enumerate(events) if isinstance(one, Reply)}
            needed = [  # the place of the reply whose call needs it, and the needle
                (replies[label.call], (f"{path}:{number}", label.needle))
                for number, label in labels
                if label.kind in SCORED and label.needle and label.call in replies
            ]
            objective = ""
            for at, event in enumerate(events):
                if isinstance(event, User):
                    objective = event.text
                elif isinstance(event, Result) and len(text := event.text) > limit:
                    kept = (one for place, one in needed if place > at and held(one[1], text))
                    ref, is_json = PAGE.format(len(found)), parse(text) is not None
                    found.append(Large(text, ref, objective, is_json, tuple(kept)))
    return found


def head_tail(text: str, limit: int) -> str:
    """The first and the last characters, half of the room each."""
    room = max(0, limit - len(GAP))
    return text[: room - room // 2] + GAP[:limit] + text[len(text) - room // 2 :]


# The design document's `compact_tool_output`, written from its description, without its model step:
# where a model would be asked, the head stands with a mark, as it does when the model fails.
FIELDS = (
    "name", "full_name", "id", "number", "title", "description", "html_url", "url", "clone_url",
    "ssh_url", "updated_at", "created_at", "pushed_at", "language", "state", "private", "fork",
    "stargazers_count", "open_issues_count", "default_branch", "login", "body",
)  # fmt: skip
BODY = 300  # characters kept of a body
MARK = "\n… [truncated]"


def by_fields(text: str, limit: int) -> str:
    """At most `limit` characters: the known fields when it is JSON and they fit, else the head.

    A list loses items at its end until it fits; the described loop drops one and writes the list
    again, this one halves its way to the same number.
    """
    if len(text) <= limit:
        return text
    try:
        made, items = _fielded(parse(text))
        fit = bisect_left(range(1, items + 1), True, key=lambda shown: len(made(shown)) > limit)
        if fit:
            return made(fit)
    except RecursionError:
        pass
    return text[: max(0, limit - len(MARK))] + MARK[:limit]


def _fielded(value: Any) -> tuple[Callable[[int], str], int]:
    """What stands for a payload with so many of its items, and how many it has.

    How many are shown is told only where the payload has a `total_count`.
    """
    items = value.get("items") if isinstance(value, dict) else value
    total = value.get("total_count") if isinstance(value, dict) else None
    if isinstance(items, list):
        kept = [_fields(item) for item in items if isinstance(item, dict)]

        def written(shown: int) -> str:
            note = f"showing {shown} of {total}"
            whole = {"total_count": total, "items": kept[:shown], "note": note}
            return jsons.dumps(kept[:shown] if total is None else whole, ensure_ascii=False)

        return written, len(kept)
    if isinstance(value, dict):
        return lambda shown: jsons.dumps(_fields(value), ensure_ascii=False), 1
    return str, 0


def _fields(item: dict[str, Any]) -> dict[str, Any]:
    """The known fields of an object; another object that has a `login` is that login."""
    kept: dict[str, Any] = {}
    for key, value in item.items():
        if isinstance(value, dict) and "login" in value:
            kept[key] = value["login"]
        elif key in FIELDS:
            kept[key] = value[:BODY] if key == "body" and isinstance(value, str) else value
    return kept


STRATEGIES: dict[str, Callable[[Large, int], str]] = {
    LOOM: lambda one, limit: preview(one.text, limit, one.ref, one.objective),
    "head_tail": lambda one, limit: head_tail(one.text, limit),
    "seed": lambda one, limit: by_fields(one.text, limit),
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
