"""The head of a request: instructions, memory, skills, tool declarations.

A text counts as it stands in the head, under its heading. A text that would leave no room for a
history is refused before anything is written. Until the next cut a changed text is only told at the
end of the request, as a notice; the cut puts it into the head.

The small-window layout limits parts of the head as texts come in, because no compression makes them
smaller: instructions and tools share one part, examples have another. What Loom adds is counted,
and never refused: its words at the end of the head and the tools it answers leave so much less to
the host. Memory and skills have no part in the documents, and no part counts them (see `Policy`).

The head also says how the model brings back what left the window: by the tool page_in where the
model has it; else, for an agent with a tool that reads files, from the workspace's folder, named as
that tool opens it; else that there is no way."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from msgspec.structs import replace

from loom.compress.layout_parts import layout_part_tokens
from loom.errors import OverCapacity
from loom.policy import Policy
from loom.providers.formats import declaration_json
from loom.providers.render.render import PAGE_IN, has_page_in_tool
from loom.providers.render.wording import CHANGED_TEXT, REMOVED_TEXT, TextFate, mark_explanation
from loom.providers.schema import ToolGiven, bad_tool_error, schema_document, tool_schemas_of
from loom.session.archive.page_reader import readable_text
from loom.session.engine import Engine
from loom.session.locking import one_call
from loom.session.meter import formats_of
from loom.session.tools.own_tools import check_names
from loom.text import encodable, one_line, provider_tool_name
from loom_partitions import records as r
from loom_partitions.config import Opened, Ways
from loom_partitions.message import Text
from loom_partitions.shelf import ShelfName
from loom_partitions.window import Window, apply

KEY_CHARS = 200
LONGEST = 1_000  # characters of a folder
WHY_CHARS = 160  # of why a text came or went
EXAMPLES = "example"  # what the keys of instructions begin with that are examples


@one_call
def put_text(
    engine: Engine,
    partition: ShelfName,
    key: str,
    text: str,
    news: TextFate = CHANGED_TEXT,
    *,
    quoted: bool = False,
) -> None:
    """Put a text into a partition at the beginning of the request, under the name `key`.

    `news` has the word and the reason that the notice gives for the change. A `quoted` text has
    less authority and comes last. Raises OverCapacity, without storing anything, when the text
    leaves no room for a history or exceeds its part of the small-window layout."""
    key = one_line(engine.redactor(key), KEY_CHARS)
    shelf = engine.window.shelf(partition)
    known = shelf.get(key) if shelf.is_quoted(key) == quoted else None
    text = engine.redactor(text)  # once: it is counted
    if known is not None and readable_text(engine.workspace, known) == text:
        engine.redactor.take()
        return
    said = _clean_news(engine, news)
    tokens, notice = engine.ingest.weighed(partition, key, text, said, quoted=quoted)
    record = r.Shelved(partition, key, notice, Text(tokens, 0, ""), quoted)
    # Asked before anything is written: what does not fit leaves no page behind.
    after = apply(engine.window, record)
    check_head_parts(engine.policy, own_tool_names(engine), engine.window, after)
    engine.room.check(after)
    engine.commit(replace(record, text=engine.ingest.held(partition, text, tokens)))


@one_call
def drop_text(
    engine: Engine, partition: ShelfName, key: str, news: TextFate = REMOVED_TEXT
) -> None:
    """Remove the text `key`, if present, from a partition at the beginning of the request. `news`
    has the word and the reason that the notice gives."""
    key = one_line(engine.redactor(key), KEY_CHARS)
    if engine.window.shelf(partition).get(key) is not None:
        said = _clean_news(engine, news)
        engine.commit(r.Shelved(partition, key, engine.ingest.gone(partition, key, said)))


def _clean_news(engine: Engine, news: TextFate) -> TextFate:
    """Return `news` with its reason shortened to one line and without secrets."""
    why = engine.ingest.clean(news.why)
    return TextFate(news.word, one_line(why, WHY_CHARS) if why else "")


@one_call
def declare_tools(engine: Engine, *tools: ToolGiven) -> None:
    """Declare tools, given in Loom's form or any provider's. Raises BadInput for an unusable tool,
    OverCapacity for a tool that leaves no room."""
    mine = engine.tools
    taken = own_tool_names(engine)
    for schema in [schema for tool in tools for schema in tool_schemas_of(tool)]:
        written = engine.ingest.clean(schema_document(schema))
        if schema.name in taken:
            check_names([schema], mine)
        known = engine.window.skill.tools.get(encodable(schema.name))
        if known is not None and known.body == written:
            engine.redactor.take()  # it was counted when it came in
            continue
        name = engine.ingest.clean(schema.name)
        for held in engine.window.skill.tools.current:  # as they are sent
            if held.key != name and provider_tool_name(held.key) == (
                sent := provider_tool_name(name)
            ):
                raise bad_tool_error(schema, f"{name} and {held.key} would both be sent as {sent}")
        forms = [declaration_json(format, written) for format in formats_of(engine.window)]
        text, notice = engine.ingest.tool(name, written, forms)
        record = r.Shelved("tools", name, notice, text)
        after = apply(engine.window, record)
        if schema.name in mine and schema_document(mine[schema.name].schema) == schema_document(
            schema
        ):
            taken.add(name)
        check_head_parts(engine.policy, taken, engine.window, after)
        engine.room.check(after)
        engine.commit(record)


def own_tool_names(engine: Engine) -> set[str]:
    """Return the names of the declared tools that Loom answers itself."""
    mine = engine.tools
    return {
        held.key
        for held in engine.window.skill.tools.current
        if held.key in mine and held.text.body == schema_document(mine[held.key].schema)
    }


class HeadPart(NamedTuple):
    """A part of the request's beginning. `most` is its limit in tokens (0: no limit), `tokens` its
    size. `ours` are the tokens from Loom, `answered` the tokens of the tools that Loom answers."""

    name: str
    field: str
    partition: str
    tokens: int
    most: int
    ours: int = 0
    answered: int = 0

    @property
    def over(self) -> int:
        """How many tokens the part exceeds its limit by: below 0 while there is room, 0 without a
        limit."""
        # Loom's own tokens are the limit where they exceed it.
        return self.tokens - max(self.most, self.ours) if self.most else 0


def check_head_parts(policy: Policy, own: Collection[str], before: Window, after: Window) -> None:
    """Raise OverCapacity if the change from `before` to `after` makes a limited part of the
    request's beginning exceed its limit. `own` has the names of the tools that Loom answers."""
    for was, now in zip(
        _head_parts(policy, own, before), _head_parts(policy, own, after), strict=True
    ):
        # A part that was too large before may stay so, if it does not grow.
        if now.over > max(was.over, 0):
            mine = (
                f" ({now.answered:,} are Loom's own tools: Policy.own_tools=False leaves them out)"
            )
            said = (
                f"{now.name} would take {now.tokens:,} tokens{mine if now.answered else ''}; their"
                f" part of this window is {now.most:,}: shorten them, open a larger window, or set"
                f" Policy.layout.{now.field} (0: no part). Nothing was changed"
            )
            raise OverCapacity(now.partition, now.tokens, now.most, said=said)


def _head_parts(policy: Policy, own: Collection[str], window: Window) -> tuple[HeadPart, HeadPart]:
    """Return two parts: the instructions and tools, and the examples."""
    limits, layout = window.limits, policy.layout
    held = {one.key: one.text.tokens for one in window.system.current}
    shown = sum(tokens for key, tokens in held.items() if key.startswith(EXAMPLES))
    texts, tools = sum(held.values()) - shown, window.skill.tools.current
    answered = sum(one.text.tokens for one in tools if one.key in own)
    hosts = sum(one.text.tokens for one in tools) - answered
    prompt = HeadPart(
        "instructions and tools",
        "prompt_tokens",
        "system" if texts >= hosts else "skill",
        limits.head + texts + hosts + answered,
        layout_part_tokens(policy, limits, layout.prompt_tokens),
        limits.head + answered,
        answered,
    )
    most = layout_part_tokens(policy, limits, layout.examples_tokens)
    return prompt, HeadPart("examples", "examples_tokens", "system", shown, most)


def how_to_page_in(engine: Engine, offers: Collection[str]) -> tuple[Ways, str]:
    """Return (way, folder): how the model brings back what left the window ("page_in", "files" or
    "none"), and for "files" the folder to read, else "". `offers` are names of tools about to be
    declared."""
    if PAGE_IN in offers or has_page_in_tool(engine.window):
        return "page_in", ""
    reads = engine.policy.reads_files
    reads = engine.project is not None if reads is None else reads
    return (
        ("files", _workspace_path(engine)) if reads and engine.folder is not None else ("none", "")
    )


def _workspace_path(engine: Engine) -> str:
    """Return the workspace's path, relative if the workspace lies in the agent's project."""
    assert engine.folder is not None
    folder = engine.folder.resolve()
    project = engine.project.resolve() if engine.project is not None else None
    inside = project is not None and folder.is_relative_to(project)
    told = folder.relative_to(project) if inside and project is not None else folder
    return one_line(encodable(engine.redactor(f"{told.as_posix()}/")), LONGEST)


def with_page_in_ways(engine: Engine, made: Opened, offers: Collection[str]) -> Opened:
    """Return the record `made` with the way in which the model brings back what left the window,
    and the tokens of its explanation."""
    ways, files = how_to_page_in(engine, offers)
    head = engine.sizes.message(mark_explanation(made.mark, ways, files))
    return replace(made, ways=ways, files=files, limits=replace(made.limits, head=head))


def update_page_in_ways(engine: Engine) -> None:
    """Record how the model brings back what left the window, if the recorded way has changed."""
    config = engine.window.config
    ways, files = how_to_page_in(engine, ())
    if not config.ways or (ways, files) == (config.ways, config.files):
        return
    head = engine.sizes.message(mark_explanation(config.mark, ways, files))
    limits = replace(engine.window.limits, head=head)
    with engine.lock, engine.atomic:
        engine.resize(r.Resized(limits, config.model, ways, files))
