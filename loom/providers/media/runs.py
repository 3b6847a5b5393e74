"""Letters between bytes that are none, in ASCII and in UTF-16: what can be read of any bytes."""

from __future__ import annotations

from collections.abc import Iterator

from loom.redact.wide import RUN, WIDTHS, runs


def printed(data: bytes, least: int = RUN) -> Iterator[str]:
    """The runs of at least so many letters, as one text for each width they stand in."""
    for width in WIDTHS:
        found = [data[start:end] for start, end in runs(data, least, width)]
        if found:
            yield b"\n".join(found).replace(b"\0", b"").decode("ascii")
