"""The small languages among a program's arguments: what sed and jq may be told to do."""

from __future__ import annotations

import re

from loom.capabilities.toolbox.errors import ToolRefused

# sed(1). Left out is what writes files (w, W, s///w), reads them (r, R), runs commands (e, s///e),
# and text that goes to the end of a line (a, i, c), where the next command could hide.
_PATTERN = r"/(?:\\.|[^/\\\n])*+/[IM]*+"
_ADDRESS = rf"(?:\d++(?:~\d++)?+|\$|{_PATTERN})"
_RANGE = rf"{_ADDRESS}(?:\s*+,\s*+(?:{_ADDRESS}|[+~]\d++))?+\s*+(?:!\s*+)?+"
_EACH = r"(?:\\.|(?!(?P=by))[^\\])*+(?P=by)"
_COMMAND = (
    r"(?:[pdDPnNgGhHxlz=]|[qQ]\s*+\d*+|:\s*+\w++|[bTt][ \t]*+\w*+"
    rf"|s(?P<by>[^\w\s\\;{{}}]){_EACH}{_EACH}[gpiImM0-9]*+"
    r"|y/(?:\\.|[^/\\])*+/(?:\\.|[^/\\])*+/)"
)
_SED = re.compile(rf"(?:[\s;{{}}]++|(?:{_RANGE})?+(?:{_COMMAND}|(?={{)))*+", re.DOTALL)
# jq finds modules by a path of their own, outside of the project too. They are named before all
# else in a program, so its first word tells. Versions differ in where a comment with a backslash or
# a carriage return in it ends, so what follows one before that word is not known.
_JQ = re.compile(r"(?:\s|#[^\n\r\\]*+(?:\r?\n|\Z))*+(?:#|(?:module|import|include)\b)")


def sed(script: str) -> None:
    """Refuse a script that could do more than print and replace."""
    if not _SED.fullmatch(script):
        raise ToolRefused(
            f"sed {script}",
            "only scripts of p, P, d, D, q, Q, n, N, g, G, h, H, x, z, l, =, y, labels and"
            " s with the flags g, p, i, m and a number are run",
            "others may write files or run commands: print here, and edit with your own tool",
        )


def jq(script: str) -> None:
    """Refuse a program that loads others."""
    if _JQ.match(script) or "modulemeta" in script:
        raise ToolRefused(
            f"jq {script}", "it reads modules from other places", "write it out in full"
        )
