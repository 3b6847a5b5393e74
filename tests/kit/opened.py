"""Workspaces for tests: opened without syncs, and closed when the test is over."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

import loom

Open = Callable[..., loom.Context]
PLAIN = loom.Policy(own_tools=False)
# What a workspace is made with; opened again it keeps its own.
AT_FIRST = ("window", "reply", "model", "goal")


def plain(path: Path, **given: Any) -> loom.Context:
    """Open a workspace; no tools of Loom's own and no syncs unless said."""
    return loom.open(path, **{"policy": PLAIN, "durable": False, **given})


def private_copy(folder: Path, to: Path) -> Path:
    """A copy of a workspace that only its owner reads, as Loom makes them; git keeps no modes."""
    shutil.copytree(folder, to)
    for path in (to, *to.rglob("*")):
        path.chmod(0o700 if path.is_dir() else 0o600)
    return to


@contextmanager
def opening(folder: Path, at: str = "w", **usual: Any) -> Iterator[Open]:
    """Yield a function that opens a workspace under `folder` by its name; all are closed at last.

    Without a name it is `at`, or a fresh one. `usual` are the settings unless others are given.
    One that is open is closed first.
    """
    made: list[tuple[Path, loom.Context]] = []
    with ExitStack() as closing:

        def make(name: str = at, **given: Any) -> loom.Context:
            path = folder / (name or f"w{len(made)}")
            for ctx in [ctx for place, ctx in made if place == path]:
                ctx.close()
            again = AT_FIRST if path.exists() else ()
            settings = {key: value for key, value in usual.items() if key not in again}
            ctx = loom.open(path, **{"durable": False, **settings, **given})
            made.append((path, ctx))
            closing.callback(ctx.close)
            return ctx

        yield make


def opened_with(at: str = "w", **usual: Any) -> Any:
    """Return a fixture that is `opening` in `tmp_path`."""

    @pytest.fixture
    def opened(tmp_path: Path) -> Iterator[Open]:
        with opening(tmp_path, at, **usual) as make:
            yield make

    return opened
