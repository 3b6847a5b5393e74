"""HTML made into text: title, headings, paragraphs, lists, tables, short links; no scripts.

Broken HTML never raises: the parser takes any text, and elements that are never closed end with it.
"""

from __future__ import annotations

from html.parser import HTMLParser
from itertools import islice

from loom.lazy import lazy_re
from loom.reduce.structure.lines.excerpt import GAPS, excerpt
from loom.reduce.structure.lines.line_templates import group
from loom.reduce.structure.lines.logs import candidates
from loom.reduce.structure.lines.outline import outlined
from loom.reduce.structure.relevance import Objective
from loom.text import cut

# Where one element of a record ends and the next begins: `</id><title>`, not `<id></id>`.
_BETWEEN = lazy_re(r"><(?!/)")
_TAG = lazy_re("<")
READ = 1_500_000  # characters of a page that are read: the parser takes a second for as many
TAGS = 100_000  # of them, or the parser takes longer for a page of tags alone
HREF = 100  # characters of an address that is kept
DROPPED = frozenset((
    "script", "style", "noscript", "template", "svg", "iframe", "object", "canvas", "head",
))  # fmt: skip
VOID = frozenset((
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track",
    "wbr",
))  # fmt: skip
BLOCKS = frozenset((
    "p", "div", "section", "article", "main", "header", "footer", "nav", "aside", "ul", "ol",
    "dl", "dt", "dd", "table", "tr", "form", "fieldset", "blockquote", "pre", "figure",
    "figcaption", "address", "details", "summary", "br", "hr", "body", "html",
))  # fmt: skip
HEADINGS = {f"h{level}": "#" * level + " " for level in range(1, 7)}


class PageParser(HTMLParser):
    """Collects the visible text of a page as lines."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.title = ""
        self.lines: list[str] = []
        self._line: list[str] = []
        self._hidden: list[str] = []  # open elements whose text is not shown
        self._links: list[str] = []
        self._in_title = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open an element: a line, a heading, a link, or something hidden."""
        if tag == "title":
            self._in_title = not self.title
            return
        if tag == "body":
            self._hidden.clear()
        if self._hidden or _hides(tag, attrs):
            if tag not in VOID and (not self._hidden or tag == self._hidden[-1]):
                self._hidden.append(tag)
            return
        if tag in HEADINGS:
            self.end_line()
            self._line.append(HEADINGS[tag])
        elif tag == "li":
            self.end_line()
            self._line.append("- ")
        elif tag in ("td", "th"):
            if "".join(self._line).strip():
                self._line.append(" | ")
        elif tag == "a":
            self._links.append(next((v or "" for k, v in attrs if k == "href"), ""))
        elif tag == "img":
            told = next((v for k, v in attrs if k == "alt" and v), "")
            self._line.append(f"[{told}]" if told else "")
        elif tag in BLOCKS:
            self.end_line()

    def handle_endtag(self, tag: str) -> None:
        """Close an element; an end without a start is ignored."""
        if tag == "title":
            self._in_title = False
        elif self._hidden:
            if tag == self._hidden[-1]:
                self._hidden.pop()
        elif tag == "a" and self._links:
            href = self._links.pop()
            if href and len(href) <= HREF and not href.startswith(("#", "javascript:")):
                self._line.append(f" ({href})")
        elif tag in HEADINGS or tag in BLOCKS or tag == "li":
            self.end_line()

    def handle_data(self, data: str) -> None:
        """Text between tags."""
        if self._in_title:
            self.title = cut((self.title + data).strip(), 200)
        elif not self._hidden and data:
            self._line.append(data)

    def unknown_decl(self, data: str) -> None:
        """Ignore an unknown declaration."""

    def end_line(self) -> None:
        """End the line of text that is being collected."""
        line = " ".join("".join(self._line).split())
        self._line.clear()
        if line.strip("#-| "):
            self.lines.append(line)


def _hides(tag: str, attrs: list[tuple[str, str | None]]) -> bool:
    """True when an element is not shown: a script, a style, something said to be hidden."""
    if tag in DROPPED:
        return True
    for key, value in attrs:
        if key == "hidden" or (key == "aria-hidden" and value == "true"):
            return True
        if key == "style" and value and "display:none" in value.replace(" ", "").lower():
            return True
    return False


def visible(text: str) -> tuple[str, list[str]]:
    """The title and the visible lines of a page. Never raises."""
    reader = PageParser()
    try:
        reader.feed(_sound(text))
        reader.close()
    except (AssertionError, ValueError, RecursionError):
        pass  # what was read before a declaration no parser takes is what there is
    reader.end_line()
    return reader.title, reader.lines


def _sound(text: str) -> str:
    """`text` without comments, and without the ends of tags that the parser looks for in vain.

    It searches for the end of a comment or tag to the end of the text, once for each that has none;
    without those it is linear.
    """
    parts: list[str] = []
    start = 0
    while (found := text.find("<!--", start)) >= 0:
        parts.append(text[start:found])
        end = text.find("-->", found + 4)
        start = end + 3 if end >= 0 else len(text)
    parts.append(text[start:])
    whole = "".join(parts).replace("<![", "<! [")
    return whole[: whole.rfind(">") + 1] + whole[whole.rfind(">") + 1 :].replace("<", " ")


def _beginning(text: str) -> int:
    """The characters of a page that are read: at most READ of them, and TAGS tags."""
    if text.count("<", 0, READ) <= TAGS:
        return min(len(text), READ)
    return next(islice(_TAG.finditer(text), TAGS, None)).start()


def reduce_html(text: str, limit: int, ref: str, objective: Objective) -> str | None:
    """The visible text of a page within `limit`; None when there is none."""
    read = _beginning(text)
    title, lines = visible(text[:read])
    if not lines and not title:
        return None
    what = f"HTML page of {len(text):,} characters"
    if len(text) > read:
        what += f", read to character {read:,}"
    if title:
        what += f", title “{cut(title, 80)}”"
    body = "\n".join(lines)
    what += f", {len(body):,} characters of text in {len(lines):,} lines"
    return outlined(lines, what, limit, ref, objective)


def reduce_markup(text: str, limit: int, ref: str, objective: Objective) -> str | None:
    """XML on few lines, its elements as lines of which like ones are shown once."""
    lines = _BETWEEN.sub(">\n<", text).split("\n")
    if len(lines) < 4:
        return None
    groups, of_line = group(lines)
    what = f"markup of {len(text):,} characters, {len(lines):,} elements on lines of their own"
    return excerpt(candidates(lines, groups, of_line, objective), what, limit, ref, GAPS)
