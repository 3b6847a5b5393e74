"""How long the redactor takes: ordinary sources, and texts made to be the worst for it."""

from __future__ import annotations

import string
import time
from collections.abc import Callable
from random import Random

MEGABYTE = 1_000_000
ORDINARY_MS, WORST_MS = 40, 300  # processor time of a megabyte, at most

REPEATED = (
    "\n", "=\n", "-----", "-----BEGIN RSA PRIVATE KEY-----\n", "def f(", "eyJ", "password=",
    "key: ", "sk-", "\\", "\x1b[", '"a":"b",', "://a:",
)  # fmt: skip
# Name → the letters a text is drawn from.
DRAWN = {
    "base64 letters": string.ascii_letters + string.digits + "+/",
    "hex digits": "0123456789abcdef",
    "random printable": string.printable,
}


def worst_texts(size: int = MEGABYTE) -> dict[str, str]:
    """Texts of a size, each of one thing over and over, or of drawn letters without a break."""
    made = {repr(one)[1:-1]: (one * (size // len(one) + 1))[:size] for one in REPEATED}
    for name, letters in DRAWN.items():
        made[name] = "".join(Random(name).choices(letters, k=size))
    return made


def timed(work: Callable[[str], str], text: str) -> tuple[str, float]:
    """What is made of a text, and the milliseconds of processor time that took."""
    began = time.process_time()
    made = work(text)
    return made, (time.process_time() - began) * 1_000
