"""Simulated sessions of a coding agent whose truth is known after every event.

`world(seed)` gives the same session for the same arguments. The stages of all scenes stand in its
first part, strewn among reads and searches that matter to nothing; a long run of such reads
follows, so that whatever keeps a window small has to cut.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from loom.inputs import Event, Reply
from loom_bench.sessions.acts import Act
from loom_bench.simulated.scenes import SCENES
from loom_bench.simulated.state import Truth
from loom_bench.simulated.writer import SessionWriter

STEPS = 200
SCENIC = 0.7  # of a session: where its scenes take place
BEHIND = 0.6  # of what matters to nothing stands behind the scenes
FIRST, EVERY = 40, 20  # replies before the first questions, and between questions


class SimulatedSession(Struct, frozen=True):
    """Events in lawful order; `truths` has what is true after each of them."""

    events: tuple[Event, ...]
    truths: tuple[Truth, ...]

    @property
    def moments(self) -> list[int]:
        """Numbers of the events before which questions are asked, the end among them."""
        replies = [at for at, event in enumerate(self.events) if isinstance(event, Reply)]
        return [*replies[FIRST::EVERY], len(self.events)]


def world(seed: int, steps: int = STEPS, *, held_out: bool = False) -> SimulatedSession:
    """A session of about `steps` replies; more when its scenes alone have more."""
    w = SessionWriter(seed, held_out=held_out)
    w.system("You are a careful engineer who works on this project with tools.")
    about = w.words.name().replace("_", " ")
    w.user(f"Please get the {about} work done. I will say more as we go.")
    for happen in _timeline(w, steps):
        happen()
    return SimulatedSession(tuple(w.events), tuple(w.truths))


def _timeline(w: SessionWriter, steps: int) -> list[Callable[[], object]]:
    """The stages of every scene, each scene's in order, among filler."""
    placed: list[tuple[float, int, Callable[[], object]]] = []
    for scene in SCENES:
        stages = scene(w)
        places = sorted(w.rng.uniform(0, SCENIC) for _ in stages)
        placed += [
            (place, len(placed) + at, stage)
            for at, (place, stage) in enumerate(zip(places, stages, strict=True))
        ]
    for _ in range(max(steps - len(placed) - 20, 0)):
        behind = w.rng.random() < BEHIND
        place = w.rng.uniform(SCENIC, 1) if behind else w.rng.uniform(0, SCENIC)
        placed.append((place, len(placed), lambda: _filler(w)))
    return [stage for _, _, stage in sorted(placed, key=lambda each: each[:2])]


def _filler(w: SessionWriter) -> None:
    """A step of work that matters to nothing asked about."""
    kind = w.rng.choices(("read", "again", "grep", "list", "status"), (60, 12, 14, 6, 8))[0]
    if kind == "again" and w.truth.seen:
        w.read(w.rng.choice(w.truth.seen))
    elif kind == "grep":
        name = w.words.one("noun")
        lines = [
            f"{w.words.one('folder')}/{name}.py:{w.rng.randint(1, 90)}:{line}"
            for line in w.words.code(14)
        ]
        w.step("", Act("grep", {"pattern": name, "path": "."}, "\n".join(lines)))
    elif kind == "list":
        names = [f"{name}.py" for name in w.words.some("noun", 12)]
        w.step("", Act("list", {"path": w.words.one("folder")}, "\n".join(names)))
    elif kind == "status":
        log = [f"{w.rng.getrandbits(28):07x} {' '.join(w.words.some('noun', 3))}" for _ in range(9)]
        w.shell("git log --oneline -9", "\n".join(log))
    else:
        paths = [w.file() for _ in range(w.rng.choice((1, 1, 1, 1, 2, 3)))]
        w.read(*paths, said=w.words.say("look", paths[0]) if w.rng.random() < 0.4 else "")
