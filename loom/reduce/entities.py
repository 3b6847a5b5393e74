"""Paths in a text, told by their form alone."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from loom.lazy import lazy_re

TOKEN = 300  # characters: no longer run of non-blanks is looked at as a path

EXTENSIONS = frozenset((
    "bash", "bat", "c", "cc", "cfg", "conf", "cpp", "cs", "css", "csv", "db", "dockerfile",
    "env", "gif", "go", "gradle", "graphql", "h", "hpp", "html", "ini", "ipynb", "java", "jpg",
    "jpeg", "js", "json", "jsonl", "jsx", "kt", "lock", "log", "lua", "md", "mjs", "mod", "pdf",
    "php", "png", "proto", "py", "pyi", "rb", "rs", "rst", "scala", "sh", "sql", "svg", "swift",
    "tar", "toml", "ts", "tsx", "txt", "vue", "xml", "yaml", "yml", "zip", "zsh",
))  # fmt: skip

_TOKEN = lazy_re(r"[^\s\"'`<>(){}\[\],;|*，。、；：（）「」]+")
_LETTER = lazy_re(r"[A-Za-z]")


def is_path(token: str) -> bool:
    """True for a token in the form of a path: rooted, nested, or a file with a known extension."""
    return len(token) <= TOKEN and _is_path(token)


@lru_cache(maxsize=4_096)  # the same few stand in every text of a session
def _is_path(token: str) -> bool:
    if "://" in token or not _LETTER.search(token):
        return False
    extension = token[-16:].rpartition(".")[2].lower() if "." in token[-16:] else ""
    nested = token.count("/") + token.count("\\")
    if extension in EXTENSIONS:
        return len(token) > len(extension) + 1
    if token.startswith(("/", "~/", "./", "../")):
        return nested >= 2 or token.startswith((".", "~"))
    return nested >= 2 and not token.startswith("-")


def paths(text: str) -> Iterator[str]:
    """The paths in a text; line numbers and punctuation are taken off."""
    for token in _TOKEN.findall(text):
        if len(token) > TOKEN:
            continue
        token = token.lstrip("@#=").rstrip(".:!?")
        stem, _, suffix = token.partition(":")
        # `a.py:12` is a place in a path; `C:\a` is a path.
        if suffix and suffix[0].isdigit():
            token = stem
        if is_path(token):
            yield token
