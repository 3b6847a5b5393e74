"""What there is to run, and what somebody asks for in a few words, as a plan."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import Any

from msgspec import Struct

from loom_bench.errors import BadBench
from loom_bench.judge import MetricColumn, columns_of
from loom_bench.judges import JUDGES
from loom_bench.named import NamedParts
from loom_bench.report.rows import SEEDS, WINDOWS, BenchPlan
from loom_bench.scenarios import SCENARIOS
from loom_bench.session import HELD_OUT, PUBLIC
from loom_bench.strategies import DEFAULT, STRATEGIES
from loom_bench.strategies.peers import PEERS


class KnownPart(Struct, frozen=True):
    """A scenario, strategy or judge: its name, the first line of its docstring, and the package to
    install before it can run ("" for none). `wrong` says why it cannot be loaded."""

    name: str
    about: str = ""
    install: str = ""
    wrong: str = ""


class KnownParts(Struct, frozen=True):
    """All that can be named, and the columns of the judges that can be loaded."""

    scenarios: tuple[KnownPart, ...]
    strategies: tuple[KnownPart, ...]
    judges: tuple[KnownPart, ...]
    columns: tuple[MetricColumn, ...]


def known_parts() -> KnownParts:
    """Loom's own, and those of installed packages."""
    judges = _known(JUDGES)
    columns = [column for one in judges if not one.wrong for column in JUDGES.get(one.name).columns]
    return KnownParts(_known(SCENARIOS), _known(STRATEGIES), judges, tuple(columns))


def lacking(strategy: str) -> str:
    """The package that a strategy needs and that is not installed; "" when it can run."""
    peer = PEERS.get(strategy)
    return peer.package if peer is not None and not peer.installed else ""


def about(part: Any) -> str:
    """The first line of what a part says of itself.

    A function with some arguments given says what the one that is a function says, else its own
    line and what was given.
    """
    if isinstance(part, partial):
        given = [*part.args, *part.keywords.values()]
        inner = [about(one) for one in given if callable(one)]
        words = " ".join(str(one) for one in given if not callable(one))
        said = next(filter(None, inner), "") or about(part.func)
        return f"{said.rstrip('.')}: {words}" if words else said
    doc = getattr(part, "__doc__", None) or ""
    return next(iter(doc.strip().splitlines()), "")


def _known(parts: NamedParts) -> tuple[KnownPart, ...]:
    return tuple(_one(parts, name) for name in parts.names())


def _one(parts: NamedParts, name: str) -> KnownPart:
    if parts is STRATEGIES and (peer := PEERS.get(name)):
        # Its own text is in its package, which may not be here.
        said = f"What {peer.package} does, as its documentation drives it ({peer.factory})."
        return KnownPart(name, said, lacking(name))
    try:
        part = parts.get(name)
        if parts is JUDGES:
            columns_of(name, part)
        return KnownPart(name, about(part))
    except BadBench as error:
        return KnownPart(name, wrong=str(error))


RANGE = re.compile(r"([0-9]{1,6})-([0-9]{1,6})")
SEEDS_MOST = 1_000


def plan_of(
    scenarios: Sequence[str] = (),
    strategies: Sequence[str] = (),
    judges: Sequence[str] = (),
    windows: str = "",
    seeds: str = "",
    held_out: bool = False,
    also: Sequence[str] = (),
) -> BenchPlan:
    """The plan; what is not given is every built-in scenario, DEFAULT, the usual judges.

    `also` are judges beside those.

    Raises BadBench for a name of nothing, and for a strategy whose package is not installed.
    """
    plan = BenchPlan(
        scenarios=_once(scenarios) or tuple(SCENARIOS.built()),
        strategies=_once(strategies) or DEFAULT,
        judges=_once([*(judges or JUDGES.usual()), *also]),
        windows=windows_of(windows) if windows else WINDOWS,
        seeds=seeds_of(seeds) if seeds else SEEDS,
        half=HELD_OUT if held_out else PUBLIC,
    )
    parts = ((SCENARIOS, plan.scenarios), (STRATEGIES, plan.strategies), (JUDGES, plan.judges))
    for kind, names in parts:
        for name in names:
            kind.get(name)
    for name in plan.strategies:
        if package := lacking(name):
            raise BadBench(f"strategy {name}: {package} is not installed")
    return plan


def windows_of(text: str) -> tuple[int, ...]:
    """Windows in tokens, separated by commas: `8192,32000`. Raises BadBench for anything else."""
    try:
        found = [int(one) for one in text.replace("_", "").split(",")]
    except ValueError:
        found = []
    if not found or min(found) <= 0:
        raise BadBench(f"windows {text!r}: give tokens, separated by commas, as 8192,32000")
    return tuple(dict.fromkeys(found))


def seeds_of(text: str) -> tuple[int, ...]:
    """Seeds: `3` is the first three, `4-6` and `1,5` are just these. Raises BadBench otherwise."""
    asked = text
    if text.isdecimal():
        text = f"1-{text}"
    found: list[int] = []
    for part in text.split(","):
        span = RANGE.fullmatch(part.strip())
        first, last = (span[1], span[2]) if span else (part.strip(), part.strip())
        if not first.isdecimal() or int(first) > int(last) or int(last) - int(first) >= SEEDS_MOST:
            raise BadBench(f"seeds {asked!r}: give how many, or which, as 3, 4-6 or 1,5")
        found += range(int(first), int(last) + 1)
    return tuple(dict.fromkeys(found))


def _once(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))
