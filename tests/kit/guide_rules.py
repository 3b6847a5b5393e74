"""A reference for the merged text of a folder's guides, written from the rules alone."""

import re
from pathlib import Path

NAMES = ("AGENTS.override.md", "AGENTS.md", "CLAUDE.md")


def text_of(data: bytes) -> str:
    """The text of bytes that may begin with a mark: of UTF-32, UTF-16, or UTF-8."""
    wide = "utf-32" if data[:4] in (b"\xff\xfe\0\0", b"\0\0\xfe\xff") else "utf-16"
    marked = wide == "utf-32" or data[:2] in (b"\xff\xfe", b"\xfe\xff")
    return data.decode(wide if marked else "utf-8-sig", "replace").removeprefix("\ufeff")


def lines_of(data: bytes) -> list[str]:
    """The lines of a guide that count."""
    text = re.sub(r"\r\n?", "\n", text_of(data))
    return re.sub(r"(?m)[ \t]+$", "", text).strip("\n").split("\n")


def reference(folder: Path) -> str:
    """The guides of a folder and of those above it, as one text."""
    root = next((at for at in (folder, *folder.parents) if (at / ".git").exists()), folder)
    found: dict[Path, list[str]] = {}
    for at in reversed([at for at in (folder, *folder.parents) if at.is_relative_to(root)]):
        for path in (at / name for name in NAMES):
            below = path.is_file() and path.resolve().is_relative_to(root)
            if below and (lines := lines_of(path.read_bytes())) != [""]:
                found.setdefault(path.resolve(), lines)
                break
    return "\n\n".join("\n".join(lines) for lines in found.values())
