"""Pages as MCP resources: `loom://pages/outputs/read_0007.txt`, whole or in part.

In a folder of workspaces the address also names the session, as page names recur in each."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from loom.errors import LoomError
from loom.mcp.answers import media_of_page
from loom.providers.render.neutral import neutral
from loom.session import Engine
from loom.session.archive.page_in_by_name import WAYS, slice_by_name
from loom.text import one_line
from loom_paging import PageRef

PAGES = "loom://pages/"
LISTED = 100  # pages in one answer to a list
MOST = 1_000_000  # characters, or bytes, of a page that is read as a resource
OUTPUTS = "outputs/"


def page_address(page: str, session: str = "") -> str:
    """Return the address of a page, "loom://pages/NAME", or "loom://pages/NAME?session=SESSION"."""
    query = f"?{urlencode({'session': session})}" if session else ""
    return f"{PAGES}{quote(page)}{query}"


def parse_address(uri: str) -> tuple[str, dict[str, str]]:
    """Return the page or entry that the address `uri` names, and the address's query as a dict
    (lines, session). Raises LoomError for any other kind of address."""
    try:
        parts = urlsplit(uri)
    except ValueError as error:
        raise LoomError(f"{one_line(uri, 120)}: {error}") from None
    ref = unquote(parts.path.lstrip("/"))
    if f"{parts.scheme}://{parts.netloc}/" != PAGES or not ref:
        example = page_address(f"{OUTPUTS}read_0007.txt")
        raise LoomError(f"{one_line(uri, 120)!r} is no address of a page: they are like {example}")
    return ref, dict(parse_qsl(parts.query))


def page_list(engine: Engine, after: str = "") -> tuple[list[PageRef], str]:
    """Return up to LISTED pages of tool results, newest first, and the value of `after` for a call
    that returns the next pages; "" if there are no more. Raises LoomError if the page `after` does
    not exist."""
    pager = engine.workspace.pager
    names = [name for name in reversed([*pager.table]) if name.startswith(OUTPUTS)]
    if after and after not in pager.table:
        raise LoomError(f"the cursor {one_line(after, 80)!r} is of no list of this session")
    rest = names[names.index(after) + 1 :] if after else names
    found = [pager.table[name] for name in rest if name not in pager.retired]
    return found[:LISTED], found[LISTED - 1].name if len(found) > LISTED else ""


def page_contents(engine: Engine, ref: str, query: Mapping[str, str]) -> tuple[str | bytes, str]:
    """Return the content of the page `ref` (text or bytes) and its MIME type. `query` may ask for a
    part, such as {"lines": "1-40"}. Raises LoomError for more than MOST characters or bytes."""
    workspace, ways = engine.workspace, {name: query[name] for name in WAYS if name in query}
    if not ways and (held := media_of_page(workspace, ref, MOST)) is not None:
        return held[1].data or b"", held[1].media.type
    shown, _ = slice_by_name(workspace, ref, None, **ways)
    if len(shown.text) > MOST:
        raise LoomError(
            f"{one_line(ref, 80)} holds {len(shown.text):,} characters, more than {MOST:,}: read a"
            " part of it (?lines=1-400, ?grep=PATTERN), or call page_in"
        )
    return neutral(engine.ingest.clean(shown.text), workspace.window.config.mark), mime_type(ref)


def mime_type(page: str) -> str:
    """Return the MIME type of a page of text, by the ending of its name."""
    return "application/json" if page.endswith(".json") else "text/plain"
