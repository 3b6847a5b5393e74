"""Replies of a client's list that are not as the model made them: several were shown as one, less
the calls answered here. They are kept beside the journal, which has none of what was shown."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from msgspec import Raw, json

from loom.disk import private_file
from loom.providers.formats.wire import Wire
from loom.redact import Redactor
from loom.serve.chains import shown

SPLICED = "spliced.jsonl"


class SplicedReplies:
    """The replies a client was shown, by their keys, each with what stands for it."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / SPLICED
        self._known = dict(self._read())

    def listed(self, items: Sequence[Wire]) -> list[Wire]:
        """A client's list as the model knows it."""
        known = (self._known.get(shown(one), one) for one in items)
        return [one for one in known if one is not None]

    def add(self, given: Wire, last: Wire | None, redactor: Redactor) -> None:
        """Know a message as the last of its replies, or as part of one (None)."""
        key, kept = shown(given), json.encode(last).decode()
        self._known[key] = last
        # On the disk as in the journal: without secrets.
        line = json.encode([key, Raw(redactor(kept).encode())]) + b"\n"
        descriptor = private_file(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        try:
            os.write(descriptor, line)
        finally:
            os.close(descriptor)

    def _read(self) -> Iterator[tuple[str, Wire | None]]:
        for line in self._path.read_bytes().splitlines() if self._path.is_file() else ():
            try:
                key, last = json.decode(line, type=tuple[str, dict[str, Any] | None])
            except ValueError:  # cut off by a kill
                continue
            yield key, last
