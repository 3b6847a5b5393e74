"""Rules for results of web tools: a search, a visited page."""

from __future__ import annotations

import html
import json
import re
from typing import Any

from loom.lazy import lazy_re
from loom.reduce.arguments import first_list, first_present, first_text, small_scalar
from loom.reduce.lines import human_size, plural
from loom.reduce.rule import Observation, ToolResult
from loom.text import one_line, utf8_size

RESULTS = 5  # search results that stay without a page
TITLES = 3  # titles shown
TITLE = 48  # characters of a title
QUERY = 60  # characters of a query shown
SCANNED = 100_000  # characters of a text searched for results
URL = 100  # characters of an address shown

QUERY_KEYS = ("query", "q", "search_query", "search_term", "keywords", "pattern", "input", "text")
URL_KEYS = ("url", "uri", "href", "link", "address", "page", "input")
RESULT_KEYS = (
    "results", "items", "organic", "organic_results", "web", "webPages", "data", "hits", "links",
    "value", "search_results",
)  # fmt: skip

_LINKS = lazy_re(r"^Links: (?=\[)", re.MULTILINE)
# Shapes of a result list written as text, most telling first.
_TITLED = (
    lazy_re(r"^[^\w\n]{0,8}title[^\w\n]{1,4}(\S.{0,300})$", re.IGNORECASE | re.MULTILINE),
    lazy_re(r"\[([^\]\n]{1,200})\]\(https?://"),
    lazy_re(r"^\s{0,8}(?:\d{1,3}[.)]|#{1,4}) (\S.{0,300})$", re.MULTILINE),
    lazy_re(r"(https?://[^\s\"'<>)\]]{1,400})"),
)
_STATUS = lazy_re(r"\b(?:status(?: code)?|HTTP(?:/[\d.]{1,3})?)[ :=]{1,3}([1-5]\d\d)\b", re.I)
_HTML_TITLE = lazy_re(r"<title[^>]{0,200}>([^<]{1,400})", re.IGNORECASE)
_HEADING = lazy_re(r"\s*#{1,3} (\S.{0,300})")
_SCHEME = lazy_re(r"^[a-z][a-z0-9+.-]{1,10}://(?:www\.)?", re.IGNORECASE)


def web_search_rule(given: ToolResult) -> Observation:
    """Return the observation (one-line summary) of a web search: query, number of results and first
    titles."""
    query = first_text(given.arguments, QUERY_KEYS)
    titles, count = _result_titles(given)
    subject = f"Searched the web for '{one_line(query, QUERY)}'"
    line = f"Found {plural(count, 'result')} for '{one_line(query, QUERY)}'"
    top = [one_line(title, TITLE) for title in titles[:TITLES]]
    return Observation(
        subject=subject,
        text=line + (f": {'; '.join(filter(None, top))}" if any(top) else ""),
        args={"query": query} if query else {},
        fields={"query": query, "count": str(count)},
        page=count > RESULTS,
    )


def visit_rule(given: ToolResult) -> Observation:
    """Return the observation (one-line summary) of a visited web page: address, status, size and
    title."""
    url = first_text(given.arguments, URL_KEYS)
    shown = one_line(_SCHEME.sub("", url[:2000]), URL).rstrip("/") or "?"
    text = first_present(given.members, ("text", "content", "body", "markdown", "html", "result"))
    size = utf8_size(text) if isinstance(text, str) else given.size
    status = _http_status(given)
    facts = ([f"status={status}"] if status else []) + [f"{human_size(size, '')} text"]
    title = one_line(_page_title(given), TITLE * 2)
    subject = f"Visited {shown}"
    return Observation(
        subject=subject,
        text=f"{subject} ({', '.join(facts)})" + (f" – {title}" if title else ""),
        args={"url": url} if url else {},
        fields={"url": shown},
        page=True,
    )


def _result_titles(given: ToolResult) -> tuple[list[str], int]:
    """Return (titles, number of results) of a web search, with at most one title for each."""
    items = _result_list(given.payload)
    if items is None and (links := _LINKS.search(given.text, 0, SCANNED)):
        try:
            items = _result_list(json.JSONDecoder().raw_decode(given.text, links.end())[0])
        except (ValueError, RecursionError):
            items = None
    if items is not None:
        return [_title_of_item(item) for item in items[:TITLES]], len(items)
    for shape in _TITLED:
        titles = shape.findall(given.text[:SCANNED])
        if titles:
            return titles, len(titles)
    return [], 0


def _result_list(payload: Any) -> list[Any] | None:
    """Return the list of results in a JSON payload; None if there is none."""
    if isinstance(payload, list):
        return payload
    if not isinstance(payload, dict):
        return None
    found = first_list(payload, RESULT_KEYS)
    if found is not None:
        return found
    inner = [payload[key] for key in RESULT_KEYS if isinstance(payload.get(key), dict)]
    return next(filter(None, (first_list(value, RESULT_KEYS) for value in inner)), None)


def _title_of_item(item: Any) -> str:
    """Return the title of a search result; "" for none."""
    if isinstance(item, dict):
        return first_text(item, ("title", "name", "heading", "url", "link"))
    return item if isinstance(item, str) else ""


def _http_status(given: ToolResult) -> str:
    """Return the HTTP status that a result gives, such as "200"; "" for none."""
    status = first_present(given.members, ("status", "status_code", "statusCode", "code"))
    if isinstance(status, int | str) and re.fullmatch(r"[1-5]\d\d", str(small_scalar(status))):
        return str(status)
    # Only the head is a tool's own report; further down it is the page that speaks.
    said = _STATUS.search(given.text[:200]) if given.payload is None else None
    return said[1] if said else ""


def _page_title(given: ToolResult) -> str:
    """Return the title of a web page; "" if there is none."""
    title = first_text(given.members, ("title", "page_title", "name"))
    if title or given.payload is not None:
        return title
    found = _HTML_TITLE.search(given.text[:20000]) or _HEADING.match(given.text)
    return html.unescape(found[1]) if found else ""
