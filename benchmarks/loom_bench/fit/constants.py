"""The constants as a point that can be moved: on the log scale, within bounds, two digits each."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from pathlib import Path
from random import Random

from msgspec import convert, json, to_builtins
from msgspec.structs import replace

from loom.compress.worth import fitted as constants
from loom.compress.worth.fitted import LAMBDA, ScoreConstants
from loom.policy import Policy

FILE = Path(constants.__file__).with_name(constants.FILE)
KINDS = "kinds."
DIGITS = 2
# What stays as it is. All kinds together have no scale, so one of them is the measure. Recorded
# sessions have no plan of Loom's, so nothing can be learned about its weight.
FIXED = frozenset({"kinds.read", "plan"})
# Constant → least and most. Labels see edits and identifiers alone, not what was asked for or
# decided: the floors of `user` and `said` stand for that.
BOUNDS = {
    "kinds.user": (0.5, 5.0), "kinds.said": (0.25, 5.0),
    "decay": (0.2, 3.0), "span": (1_000.0, 64_000.0), "step_decay": (0.002, 0.5),
    "fresh": (1.0, 200.0), "fresh_span": (0.05, 2.0),
    "focus": (0.2, 4.0), "stale": (0.005, 1.0), "gamma": (0.1, 1.2),
    "reduced": (0.005, 0.5), "gate": (0.02, 0.9),
}  # fmt: skip
# Constants the score does not depend on where age is counted in that way.
UNUSED = {"steps": {"decay", "span", "fresh", "fresh_span"}, "log": {"step_decay"}}
SCAN = {"steps": (0.01, 0.02, 0.05, 0.1), "log": (0.5, 0.7, 1.0)}
# Numbers of a policy that a search may move as well → least and most.
SHARES = {
    "recent": (1, 12),
    "recent_share": (0.2, 0.8),
    "ahead_share": (0.05, 0.5),
    "back_share": (0.05, 0.5),
    "digest_tokens": (1_000, 9_000),
    "digest_large": (0.05, 0.5),
    "index_share": (0.03, 0.3),
    "index_tokens": (400, 4_000),
}
USUAL = (0.05, 5.0)  # the bounds of all others
MOVED = (1, 1, 2, 3, 5, 8)  # how many constants one move changes


def values(fitted: ScoreConstants) -> dict[str, float]:
    """Every constant by its name, `kinds.read` for a kind's."""
    plain = to_builtins(fitted)
    kinds = plain.pop("kinds")
    return {**{KINDS + kind: kinds[kind] for kind in sorted(kinds)}, **plain}


def made(named: Mapping[str, float]) -> ScoreConstants:
    """The constants of these names, each of DIGITS significant digits."""
    short = {name: rounded(value) for name, value in named.items()}
    kinds = {name.removeprefix(KINDS): v for name, v in short.items() if name.startswith(KINDS)}
    rest = {name: value for name, value in short.items() if not name.startswith(KINDS)}
    return convert({**rest, "kinds": kinds}, ScoreConstants)


def rounded(value: float) -> float:
    """A value of DIGITS significant digits."""
    return float(f"{value:.{DIGITS}g}")


def free(fitted: ScoreConstants, ageing: str) -> list[str]:
    """The constants a fit may move: all that the score depends on where it ages in this way."""
    return [name for name in values(fitted) if name not in FIXED | UNUSED[ageing]]


def scanned(fitted: ScoreConstants, ageing: str) -> list[ScoreConstants]:
    """The same with each λ of SCAN: where a search begins, as it moves by chance."""
    return [made({**values(fitted), LAMBDA[ageing]: decay}) for decay in SCAN[ageing]]


def stated(fitted: ScoreConstants, ageing: str) -> list[str]:
    """The constants a policy can state: λ, and K of each kind but the one that is the measure."""
    return [*(name for name in free(fitted, ageing) if name.startswith(KINDS)), LAMBDA[ageing]]


def moved(
    fitted: ScoreConstants,
    step: float,
    random: Random,
    ageing: str = "log",
    only: Collection[str] = (),
) -> ScoreConstants:
    """Some constants (of `only`, if any) times e^x, x normal with deviation `step`, in BOUNDS."""
    named = values(fitted)
    names = [name for name in free(fitted, ageing) if not only or name in only]
    for name in random.sample(names, min(random.choice(MOVED), len(names))):
        low, high = BOUNDS.get(name, USUAL)
        named[name] = min(max(named[name] * math.exp(random.gauss(0.0, step)), low), high)
    return made(named)


def policy_moved(policy: Policy, step: float, random: Random) -> Policy:
    """A neighbour: one of SHARES times e^x, x normal with deviation `step`, within its bounds."""
    name, (low, high) = random.choice(sorted(SHARES.items()))
    value = share_of(policy, name)
    new = min(max(value * math.exp(random.gauss(0.0, step)), low), high)
    return _with(policy, {name: _like(value, new)})


def policy_between(one: Policy, other: Policy) -> Policy:
    """The first policy with SHARES in the middle of the two, on the log scale."""
    pairs = {name: (share_of(one, name), share_of(other, name)) for name in SHARES}
    return _with(one, {n: _like(a, math.sqrt(a * b)) for n, (a, b) in pairs.items()})


def share_of(policy: Policy, name: str) -> float:
    """One of SHARES, where a policy has it."""
    value: float = getattr(policy if hasattr(policy, name) else policy.tuning, name)
    return value


def _with(policy: Policy, values: Mapping[str, float]) -> Policy:
    own = {name: value for name, value in values.items() if hasattr(policy, name)}
    others = {name: value for name, value in values.items() if name not in own}
    return replace(policy, **own, tuning=replace(policy.tuning, **others))


def _like(value: float, new: float) -> float:
    """A new value of DIGITS significant digits, whole where the old one is."""
    return round(rounded(new)) if isinstance(value, int) else rounded(new)


def middle(one: ScoreConstants, other: ScoreConstants) -> ScoreConstants:
    """Return the middle of two on the log scale; 0 where one is 0."""
    others = values(other)
    return made({name: math.sqrt(value * others[name]) for name, value in values(one).items()})


def written(fitted: ScoreConstants) -> bytes:
    """The bytes of the file: sorted names, rounded values."""
    return json.format(json.encode(made(values(fitted)), order="sorted"), indent=1) + b"\n"
