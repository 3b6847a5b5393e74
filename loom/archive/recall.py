"""Recall in plain text: which pages and entries hold the words of a query, with the lines.

Every page and every entry of the journal is read, newest first; what holds more of the query's
terms, and rarer ones, comes first. Nothing is indexed, so the cost is one pass over the workspace.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from loom.archive.restore import restore
from loom.archive.workspace import Workspace
from loom.ingest import INLINE
from paging import PagingError

HITS_MAX = 5
LINES_MAX = 4
LINE_CHARS = 240
TERM = re.compile(r"[\w./:-]*\w")


def recall(workspace: Workspace, query: str, limit: int) -> tuple[str, int]:
    """(text of at most `limit` characters, number of places shown)."""
    terms = list(dict.fromkeys(term.lower() for term in TERM.findall(query)))
    if not terms:
        return "recall: the query has no words; give words, names or paths to look for", 0
    found = []
    frequency = dict.fromkeys(terms, 0)
    for age, (name, text) in enumerate(sources(workspace)):
        lower = text.lower()
        held = [term for term in terms if term in lower]
        for term in held:
            frequency[term] += 1
        if held:
            found.append((held, -age, name, text))
    weight = {term: 1 / math.log(2 + n) for term, n in frequency.items()}
    found.sort(key=lambda hit: (-sum(weight[term] for term in hit[0]), -hit[1]))
    blocks: list[str] = []
    for held, _, name, text in found[:HITS_MAX]:
        block = "\n".join([name, *_lines(text, held)])
        if sum(map(len, blocks)) + len(block) > limit:
            break
        blocks.append(block)
    return "\n".join(blocks) or f"nothing holds {' '.join(terms)}", len(blocks)


def sources(workspace: Workspace) -> Iterator[tuple[str, str]]:
    """Every page and every text of the journal under its name, newest first, each once."""
    for name in reversed(list(workspace.pager.table)):
        ref = workspace.pager.table[name]
        if not name.startswith("outputs/") or ref.alias or name.startswith("outputs/digest_"):
            continue
        try:
            yield name, workspace.read(name)
        except PagingError:  # reported by check; the other pages still answer
            continue
    for entry in sorted(workspace.index.commits, reverse=True):
        try:
            restored = restore(workspace, entry)
        except PagingError:
            continue
        texts = [restored.text]
        if restored.reply is not None:
            texts = [
                getattr(p, "text", "") or getattr(p, "arguments", "") for p in restored.reply.parts
            ]
        # A long result was searched as its page already.
        texts += [text for text in restored.results.values() if len(text) <= INLINE]
        yield restored.name, "\n".join(texts)


def _lines(text: str, terms: list[str]) -> Iterator[str]:
    """Numbered lines that hold terms, those with the most terms first."""
    scored = []
    for number, line in enumerate(text.splitlines(), 1):
        lower = line.lower()
        hits = sum(term in lower for term in terms)
        if hits:
            scored.append((-hits, number, line))
    for _, number, line in sorted(scored)[:LINES_MAX]:
        yield f"  {number}: {_around(line, terms)}"


def _around(line: str, terms: list[str]) -> str:
    """A long line is shown around its first hit."""
    line = line.strip()
    if len(line) <= LINE_CHARS:
        return line
    lower = line.lower()
    at = min((lower.find(term) for term in terms if term in lower), default=0)
    start = max(at - LINE_CHARS // 3, 0)
    return ("…" if start else "") + line[start : start + LINE_CHARS] + "…"
