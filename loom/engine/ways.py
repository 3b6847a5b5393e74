"""How what left the window is brought back, as the head of every request says it.

Said is only what is so: the tool where the model has it; else, to an agent with a tool that reads
files, the folder they lie in as that tool opens it; else that there is no way.
"""

from __future__ import annotations

from collections.abc import Collection

from msgspec.structs import replace

from loom.engine.engine import Engine
from loom.providers.render.render import PAGE_IN, pages_in
from loom.providers.render.wording import explained
from loom.text import one_line, printable
from loom_partitions.config import Opened, Ways
from loom_partitions.records import Resized

LONGEST = 1_000  # characters of a folder


def ways_back(engine: Engine, offers: Collection[str]) -> tuple[Ways, str]:
    """(how, the folder where files are read); `offers` are the tools about to be declared."""
    if PAGE_IN in offers or pages_in(engine.window):
        return "page_in", ""
    reads = engine.policy.reads_files
    reads = engine.project is not None if reads is None else reads
    return ("files", _folder(engine)) if reads and engine.folder is not None else ("none", "")


def _folder(engine: Engine) -> str:
    """The workspace as a tool of the agent opens it: from its project, where it lies in that."""
    assert engine.folder is not None
    folder = engine.folder.resolve()
    project = engine.project.resolve() if engine.project is not None else None
    inside = project is not None and folder.is_relative_to(project)
    told = folder.relative_to(project) if inside and project is not None else folder
    return one_line(printable(engine.redactor(f"{told.as_posix()}/")), LONGEST)


def with_ways(engine: Engine, made: Opened, offers: Collection[str]) -> Opened:
    """The first record, saying how; what it takes in the head is counted."""
    ways, files = ways_back(engine, offers)
    head = engine.sizes.message(explained(made.mark, ways, files))
    return replace(made, ways=ways, files=files, limits=replace(made.limits, head=head))


def tell_ways(engine: Engine) -> None:
    """Say it anew where it is another than the one recorded: the workspace was moved, or tools
    differ. A workspace that never said it keeps its words."""
    config = engine.window.config
    ways, files = ways_back(engine, ())
    if not config.ways or (ways, files) == (config.ways, config.files):
        return
    head = engine.sizes.message(explained(config.mark, ways, files))
    limits = replace(engine.window.limits, head=head)
    with engine.lock, engine.atomic:
        engine.resize(Resized(limits, config.model, ways, files))
