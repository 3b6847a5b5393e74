"""What there is to run: scenarios, strategies and judges, with a line about each."""

from __future__ import annotations

from functools import partial
from typing import Any

from msgspec import Struct

from loom_bench.errors import BadBench
from loom_bench.judge import MetricColumn, columns_of
from loom_bench.judges import JUDGES
from loom_bench.named import NamedParts
from loom_bench.scenarios import SCENARIOS
from loom_bench.strategies import STRATEGIES
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
    peer = PEERS.get(name) if parts is STRATEGIES else None
    if peer is not None:  # its own text is in its package, which may not be here
        said = f"What {peer.package} does, as its documentation drives it ({peer.factory})."
        return KnownPart(name, said, lacking(name))
    try:
        part = parts.get(name)
        if parts is JUDGES:
            columns_of(name, part)
        return KnownPart(name, about(part))
    except BadBench as error:
        return KnownPart(name, wrong=str(error))
