"""`python -m tests.mutate`: does a test fail when one small thing in the core is wrong?

A mutation replaces one expression or statement. It is applied in a copy of the tree, where the
tests of its room run; the tree itself is never written. A mutation no test notices is either a test
that is missing or an equivalent: the program does the same with it. Equivalents known by name stand
in `equivalents.py`, each with its reason.
"""

import sys
import time
from pathlib import Path

from cyclopts import App

from benchmarks.options import FromOne, FromZero, refuse
from benchmarks.show import Bar, end
from loom.text import escape_invisible_lines
from loom_bench.tables import table
from tests.mutate.equivalents import reason
from tests.mutate.trials import LATE, NOTICED, ROOMS, SURVIVED, Tried, Unsound, chosen, tried

ROOT = Path(__file__).parents[2]
COUNT = 30
EQUIVALENT = "equivalent"


def mutate(
    *, count: FromZero = COUNT, seed: int = 0, workers: FromOne = 2, json: bool = False
) -> int:
    """Mutate the core at random places, a copy for each, and run the tests of the room.

    Exits with 1 when a mutation survived that is not listed as equivalent.

    Parameters
    ----------
    count
        Mutations.
    seed
        The same seed over the same source chooses the same mutations.
    workers
        Tests that run at a time.
    json
        No table, only the JSON line.
    """
    began = time.monotonic()
    found: list[Tried] = []
    try:
        with Bar("mutating", count) as bar:
            for one in tried(ROOT, ROOMS, chosen(ROOT, ROOMS, count, seed), workers):
                found.append(judged(one))
                bar.advance(1, told(found[-1]), loud=found[-1].outcome == SURVIVED)
    except Unsound as error:
        return refuse(f"the tests fail with nothing changed:\n{error}")
    report = {
        "seed": seed,
        "mutations": len(found),
        **{
            name.replace(" ", "_"): sum(one.outcome == name for one in found)
            for name in (NOTICED, LATE, EQUIVALENT, SURVIVED)
        },
        "survivors": [told(one) for one in found if one.outcome == SURVIVED],
        "wall_s": round(time.monotonic() - began, 1),
    }
    rows = [
        (f"{one.mutation.path}:{one.mutation.line}", one.mutation.change, one.outcome)
        for one in found
    ]
    heads = ["place", "change", "outcome"]
    end(report, [] if json else [table(f"{len(found)} mutations, seed {seed}", heads, rows)])
    return int(bool(report["survived"]))


def judged(one: Tried) -> Tried:
    """A survivor that is listed is an equivalent."""
    known = one.outcome == SURVIVED and reason(one.mutation)
    return Tried(one.mutation, EQUIVALENT) if known else one


def told(one: Tried) -> str:
    """A mutation and its outcome on one line."""
    place = one.mutation
    return f"{place.path}:{place.line} {place.function}: {place.change}: {one.outcome}"


if __name__ == "__main__":
    app = App(name="mutate", error_formatter=lambda error: escape_invisible_lines(str(error)))
    app.default(mutate)
    sys.exit(app())
