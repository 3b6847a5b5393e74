"""The constants of the worth score. `python -m benchmarks fit` writes the file that holds them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib.resources import files

from msgspec import Struct, json
from msgspec.structs import replace

from loom.policy import Policy

FILE = "fitted.json"


class ScoreConstants(Struct, frozen=True, kw_only=True):
    """The constants of a unit's worth. (A unit is a piece of an entry that can stay or leave on its
    own. The formula is in `loom.compress.worth.worth`.)

    `kinds` maps each kind of unit to its weight K. `decay` is λ, the fall of worth with age, and
    `span` (in tokens) scales the age; `step_decay` is λ if age is counted in steps. `fresh` is a
    bonus for a unit new to the window; it falls with age over `fresh_span`, a fraction of the
    capacity. `focus` is the exponent of relevance. `stale` is the factor for an outdated unit.
    `last`, `lately`, `plan` and `user` are the weights of terms from the last reply, the last few
    replies, goal and plan, and the user's message. `gamma` is the exponent of tokens. `reduced` is
    the fraction of an entry's worth that its one-line form keeps. `gate` is the fraction of units
    in the window that a unit must exceed to be read ahead."""

    kinds: dict[str, float]
    decay: float
    span: float
    step_decay: float
    fresh: float
    fresh_span: float
    focus: float
    stale: float
    gamma: float
    reduced: float
    gate: float
    last: float
    lately: float
    plan: float
    user: float


_USED: ContextVar[ScoreConstants | None] = ContextVar("fitted", default=None)


@cache
def _constants_of_file() -> ScoreConstants:
    """Return the constants of the worth score, read from the package's file fitted.json."""
    return json.decode(
        files("loom.compress.worth").joinpath(FILE).read_bytes(), type=ScoreConstants
    )


def constants_in_force() -> ScoreConstants:
    """Return the constants of the worth score set by `use_constants`, else those of the file."""
    return _USED.get() or _constants_of_file()


LAMBDA = {"log": "decay", "steps": "step_decay"}  # by how a policy lets things age


def constants_for_policy(policy: Policy) -> ScoreConstants:
    """Return the constants of the worth score in use, with those that the policy sets."""
    made = constants_in_force()
    kinds: dict[str, float] = {**made.kinds, **policy.kind_weights}  # type: ignore[dict-item]
    own = {} if policy.decay is None else {LAMBDA[policy.ageing]: policy.decay}
    return replace(made, kinds=kinds, **own) if own or policy.kind_weights else made


@contextmanager
def use_constants(constants: ScoreConstants) -> Iterator[None]:
    """Use these constants of the worth score until the `with` block ends, in this thread only."""
    token = _USED.set(constants)
    try:
        yield
    finally:
        _USED.reset(token)
