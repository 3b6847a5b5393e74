"""Writers of one object store in one process, whose requests take turns and fail as a seed says.

Each writer is a thread that stops before every request; one at a time is let on. So a history
depends on its seed alone, and can be made again.
"""

import threading
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import obstore
from obstore.exceptions import GenericError

from loom_paging.remote.bucket import Bucket

LOST, ANSWER_LOST, DOUBLED, LATE = FAULTS = ("request lost", "answer lost", "doubled", "late")
TRIES = 2  # of an operation, so that answers are unknown


class Turns:
    """Whose turn it is; `share` of requests meet a fault. `clock` counts requests."""

    def __init__(self, seed: int, share: float) -> None:
        self.rng = Random(seed)
        self.share = share
        self.clock = 0
        self.met = 0
        self.late: list[Callable[[], object]] = []
        self._lock = threading.Condition()
        self._waiting: set[int] = set()
        self._workers: dict[int, int] = {}  # thread → its number
        self._next = -1

    @property
    def mine(self) -> bool:
        """True in a thread of `run`: only such a one takes turns and meets faults."""
        return threading.get_ident() in self._workers

    def now(self) -> float:
        """A time that no other call of it gave."""
        self.clock += 1
        return float(self.clock)

    def wait(self) -> None:
        """Stop until it is this thread's turn."""
        number = self._workers[threading.get_ident()]
        with self._lock:
            self._waiting.add(number)
            self._lock.notify_all()
            while self._next != number:
                self._lock.wait(60)
            self._next = -1

    def run(self, works: Sequence[Callable[[], None]]) -> None:
        """Run all of them, one request at a time, until each has ended. What one raises is raised
        in the end."""
        alive = set(range(len(works)))
        raised: list[BaseException] = []

        def body(number: int, work: Callable[[], None]) -> None:
            with self._lock:
                self._workers[threading.get_ident()] = number
            try:
                self.wait()
                work()
            except BaseException as error:
                raised.append(error)
            finally:
                with self._lock:
                    # Another thread may get the number that this one had.
                    del self._workers[threading.get_ident()]
                    alive.discard(number)
                    self._lock.notify_all()

        threads = [threading.Thread(target=body, args=each) for each in enumerate(works)]
        with self._lock:
            for thread in threads:
                thread.start()
            while alive:
                while alive and not self._waiting.issuperset(alive):
                    self._lock.wait(60)
                if not alive:
                    break
                number = self.rng.choice(sorted(alive))
                self._waiting.discard(number)
                self._next = number
                self._lock.notify_all()
        for thread in threads:
            thread.join()
        for one in self.late:
            one()
        if raised:
            raise raised[0]


class SeededObjects:
    """obstore's functions, as Bucket calls them, behind a network that takes turns and fails."""

    def __init__(self, turns: Turns) -> None:
        self._turns = turns

    def __getattr__(self, name: str) -> Any:
        real = getattr(obstore, name)
        return lambda *given, **named: self._sent(name, lambda: real(*given, **named))

    def _sent(self, name: str, request: Callable[[], Any]) -> Any:
        turns = self._turns
        if not turns.mine:
            return request()
        turns.wait()
        rng = turns.rng
        for one in [one for one in turns.late if rng.random() < 0.3]:
            turns.late.remove(one)
            one()
        if rng.random() >= turns.share:
            return request()
        turns.met += 1
        fault = rng.choice(FAULTS)
        if fault == LATE and name == "put":  # it arrives once nobody waits for it any more
            turns.late.append(lambda: _tried(request))
        if fault in (LOST, LATE):
            raise GenericError("no answer in time")
        first = request()
        if fault == DOUBLED:
            return request() or first  # the answer to the second
        raise GenericError("the connection was reset")


def _tried(request: Callable[[], Any]) -> None:
    try:
        request()
    except Exception:  # nobody hears of it
        return


class SeededBucket(Bucket):
    """A bucket of a store in memory whose requests take turns; an operation has two tries."""

    def __init__(self, client: Any, turns: Turns, prefix: str = "") -> None:
        super().__init__(client, "here", prefix, TRIES)
        self._turns = turns
        self._objects = SeededObjects(turns)

    def below(self, folder: str) -> Bucket:
        """See Bucket."""
        return SeededBucket(self.client, self._turns, f"{self._prefix}{folder}/")

    def hasty(self, tries: int) -> Bucket:
        """See Bucket; it is already."""
        return self
