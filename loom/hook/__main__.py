"""The command Claude Code runs: `python -P -m loom.hook [--above N] [--dropped]`."""

import sys

from loom.hook.answering import ABOVE, answer


def _above(words: list[str]) -> int:
    """The number behind `--above`; the usual one for anything else."""
    given = words[1] if words[:1] == ["--above"] and len(words) == 2 else ""
    return int(given) if given.isascii() and given.isdigit() else ABOVE


if __name__ == "__main__":
    dropped = sys.argv[-1] == "--dropped"
    sys.exit(answer(_above(sys.argv[1 : len(sys.argv) - dropped]), dropped=dropped))
