"""A skill's folder judged by the letter of the specification.

The rules are those of https://agentskills.io/specification as its reference library `skills-ref`
judges them, so that a skill without problems here has none there. Where the two differ, the library
decides, and these are the places: letters and digits of every script may stand in a name, compared
after NFKC; the header ends at the first `---` after the one that opens it, wherever on a line it
stands; `compatibility` may be empty; what `license`, `metadata` and `allowed-tools` hold is not
judged. Beyond the library, a file it breaks off at (no UTF-8, no plain file) and a header larger
than is ever read are problems too. One difference is known and left: the library takes U+0085,
U+2028 and U+2029 for line ends at the beginning of a line and in comments, where YAML 1.2 does not.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from loom.capabilities.plain_file import beginning
from loom.capabilities.skills.frontmatter import HEADER
from loom.capabilities.skills.skill_files import SKILL_FILES, absolute
from loom.capabilities.skills.yaml_tree import Node, NotRead, Pairs, tree
from loom.text import one_line

NAME_CHARS, DESCRIPTION_CHARS, COMPATIBILITY_CHARS = 64, 1_024, 500
LARGEST = 16_000_000  # bytes of a file that is judged
FIELDS = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")
NEEDED = ("name", "description")
MARK = "---"


def problems(folder: Path) -> tuple[str, ...]:
    """The problems of the skill in `folder`, a sentence each; () for none."""
    path = absolute(folder)
    file = next((path / name for name in SKILL_FILES if (path / name).exists()), None)
    if file is None:
        return (f"{path} holds no SKILL.md",)
    try:
        fields = _fields(_header(_text(file)))
    except (OSError, NotRead) as error:
        return (getattr(error, "strerror", None) or str(error),)
    unknown = [repr(one_line(key, 40)) for key in fields if key not in FIELDS]
    missing = [f"no {key}: it is required" for key in NEEDED if key not in fields]
    return (
        *(
            [f"unknown fields {', '.join(unknown)}: known are {', '.join(FIELDS)}"]
            if unknown
            else []
        ),
        *missing,
        *(why for key in JUDGES if key in fields for why in JUDGES[key](fields[key], path.name)),
    )


def _text(file: Path) -> str:
    data, size = beginning(file, LARGEST)
    if size > len(data):
        raise NotRead(f"larger than {LARGEST:,} bytes")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise NotRead(f"no UTF-8 at byte {error.start:,}: save it as UTF-8") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _header(text: str) -> str:
    if not text.startswith(MARK):
        raise NotRead("the first line is not ---: the file begins with its front matter")
    parts = text.split(MARK, 2)
    if len(parts) < 3:
        raise NotRead("the front matter is not closed with ---")
    if len(parts[1]) > HEADER:
        raise NotRead(f"the front matter is larger than {HEADER:,} characters: no client reads it")
    return parts[1]


def _fields(header: str) -> dict[str, Node]:
    """The fields of a header; raises NotRead where it is no strict YAML."""
    node = tree(header, strict=True)
    if not isinstance(node, Pairs):
        raise NotRead("the front matter is no mapping of fields to values")
    for key in _twice(node):
        raise NotRead(f"the key {one_line(key, 40)!r} stands twice")
    return dict(node.items)


def _twice(node: Node) -> Iterator[str]:
    """Keys that stand twice in one mapping, at any depth."""
    if isinstance(node, Pairs):
        counts = Counter(key for key, _ in node.items)
        yield from (key for key, count in counts.items() if count > 1)
        for _, value in node.items:
            yield from _twice(value)
    elif isinstance(node, tuple):
        for value in node:
            yield from _twice(value)


def _name(value: Node, folder: str) -> Iterator[str]:
    if not isinstance(value, str) or not value.strip():
        yield "the name is no text, or empty"
        return
    name = unicodedata.normalize("NFKC", value.strip())
    shown = one_line(name, NAME_CHARS)
    if len(name) > NAME_CHARS:
        yield f"the name has {len(name)} characters, at most {NAME_CHARS} are allowed"
    if name != name.lower():
        yield f"the name {shown!r} is not in lowercase"
    if name.startswith("-") or name.endswith("-"):
        yield f"the name {shown!r} begins or ends with a hyphen"
    if "--" in name:
        yield f"the name {shown!r} holds two hyphens in a row"
    if not all(sign.isalnum() or sign == "-" for sign in name):
        yield f"the name {shown!r} holds more than lowercase letters, digits and hyphens"
    if unicodedata.normalize("NFKC", folder) != name:
        yield f"the name {shown!r} is not that of its folder, {folder!r}"


def _description(value: Node, folder: str) -> Iterator[str]:
    if not isinstance(value, str) or not value.strip():
        yield "the description is no text, or empty"
    elif len(value) > DESCRIPTION_CHARS:
        yield (
            f"the description has {len(value):,} characters,"
            f" at most {DESCRIPTION_CHARS:,} are allowed"
        )


def _compatibility(value: Node, folder: str) -> Iterator[str]:
    if not isinstance(value, str):
        yield "the compatibility is no text"
    elif len(value) > COMPATIBILITY_CHARS:
        yield (
            f"the compatibility has {len(value)} characters,"
            f" at most {COMPATIBILITY_CHARS} are allowed"
        )


JUDGES: dict[str, Callable[[Node, str], Iterator[str]]] = {
    "name": _name,
    "description": _description,
    "compatibility": _compatibility,
}
