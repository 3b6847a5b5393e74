"""The command that Claude Code runs: `python -P -m loom.hook [--above N] [--dropped]`."""

import sys

from loom.hook.answering import ABOVE, answer_event

if __name__ == "__main__":
    given = sys.argv[2] if sys.argv[1:2] == ["--above"] and len(sys.argv) > 2 else ""
    above = int(given) if given.isascii() and given.isdigit() else ABOVE
    sys.exit(answer_event(above, dropped="--dropped" in sys.argv))
