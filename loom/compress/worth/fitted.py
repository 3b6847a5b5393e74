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
    """The constants of a unit's worth: K, λ and the others (see `loom.compress.worth.worth`).

    `kinds` are the weights K by kind of unit. `decay` (λ) and `span` (in tokens) are the fall with
    age; `step_decay` is λ where age is counted in steps. `fresh` is the weight added to K while a
    unit is new to the window; it falls with age over `fresh_span`, a share of the capacity. It is a
    floor of plain recency, which tasks that take turns need. `focus` is the exponent on relevance,
    `stale` the factor of a superseded unit. `last`, `lately`, `plan` and `user` weigh the terms of
    the focus by where they were used last: the last reply, the last replies, goal and plan, the
    user's message. `gamma` is the exponent on tokens, `reduced` the share of an entry's worth that
    its line keeps. `gate` is the share of resident units a unit must outdo to be read ahead."""

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
    """Return the constants as the file holds them."""
    return json.decode(
        files("loom.compress.worth").joinpath(FILE).read_bytes(), type=ScoreConstants
    )


def constants_in_force() -> ScoreConstants:
    """Return the constants in force: the file's, or those that `use_constants` put there."""
    return _USED.get() or _constants_of_file()


LAMBDA = {"log": "decay", "steps": "step_decay"}  # by how a policy lets things age


def constants_for_policy(policy: Policy) -> ScoreConstants:
    """Return the constants in force, with those a policy sets itself: λ, and K of some kinds."""
    made = constants_in_force()
    kinds: dict[str, float] = {**made.kinds, **policy.kind_weights}  # type: ignore[dict-item]
    own = {} if policy.decay is None else {LAMBDA[policy.ageing]: policy.decay}
    return replace(made, kinds=kinds, **own) if own or policy.kind_weights else made


@contextmanager
def use_constants(constants: ScoreConstants) -> Iterator[None]:
    """Put these constants in place of the file's, in this thread, until the block is left."""
    token = _USED.set(constants)
    try:
        yield
    finally:
        _USED.reset(token)
