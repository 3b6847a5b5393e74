"""`loom fit`: K and λ of the score, fitted to recorded sessions of one's own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from loom.cli.exits import FINE
from loom.cli.output import AsJson, complain, print_json, print_line
from loom.compress.worth.fitted import LAMBDA, constants_in_force
from loom.errors import BadInput, BadSession
from loom.policy import Policy
from loom.replay.importers import find
from loom_bench.fit.constants import KINDS, stated, values
from loom_bench.fit.replay import Candidate, recorded
from loom_bench.fit.search import Bench, cross_validated

LEAST = 2  # sessions: one for each half


def fit(
    files: Annotated[list[Path], Parameter(name="FILE")],
    /,
    *,
    capacity: int = 32_000,
    rounds: int = 6,
    seed: int = 1,
    ageing: Literal["log", "steps"] = "log",
    workers: int = 1,
    json: AsJson = False,
) -> int:
    """Fit K and λ of the score to recorded sessions, and say what a policy has to state.

    They are moved on one half of the sessions and tested on the other, and the other way round; the
    gain is of the texts that a call needed, and that its request held. Nothing is written.

    Parameters
    ----------
    files
        Session files, or folders of them. Labels beside a file say what its calls needed; without,
        it is what they name and an earlier message holds.
    capacity
        Tokens of a request, the reply not counted.
    rounds
        Rounds of the search.
    seed
        The same seed over the same sessions gives the same constants.
    ageing
        How the score falls with age: with its logarithm, or with each step as documented.
    workers
        Processes that replay at the same time.
    """
    found = find(files)
    paths = [path for path in found if _needs(path)]
    if len(paths) < LEAST:
        few = f"of {len(found)} files {len(paths)} have calls that needed what lies far back"
        raise BadInput(f"{few}; {LEAST} are needed")
    start = Candidate(constants_in_force(), Policy(ageing=ageing))
    with Bench((capacity,), workers) as bench:
        only = stated(start.fitted, ageing)
        made = cross_validated(bench, paths, start, rounds, seed, only=only)
    named, before = values(made.chosen.fitted), values(start.fitted)
    kinds = {
        name.removeprefix(KINDS): value
        for name, value in named.items()
        if name.startswith(KINDS) and value != before[name]
    }
    policy = {"ageing": ageing, "decay": named[LAMBDA[ageing]], "kind_weights": kinds}
    mean, low, high = made.gain.mean, made.gain.low, made.gain.high
    if json:
        gain = {"gain": round(mean, 4), "interval": [round(low, 4), round(high, 4)]}
        print_json({"sessions": len(paths), **gain, "better": made.accepted, "policy": policy})
        return FINE
    print_line(f"loom.Policy({', '.join(f'{name}={value!r}' for name, value in policy.items())})")
    noise = "" if made.accepted else ": no more than noise"
    print_line(f"gain {mean:+.4f} (90 % by session: {low:+.4f} to {high:+.4f}){noise}")
    return FINE


def _needs(path: Path) -> bool:
    """True for a session with calls that needed what lies far back; one that cannot be read is told
    on stderr."""
    try:
        return bool(recorded(path)[1])
    except BadSession as error:
        complain(f"{error}: skipped")
        return False
