"""A scenario, strategies and a judge in files of their own, for tests of `loom_bench`."""

from pathlib import Path

PARTS = '''
"""Parts of a test's own."""

import time
from pathlib import Path

from loom_bench import BenchRuling, MetricColumn


def small(script):
    """A fact, then work for ten thousand tokens."""
    script.system("You are a careful engineer.")
    asked = script.user(f"The gateway's port is {script.pick((8443,), (9443,))}. Mend it.")
    port = str(script.pick((8443,), (9443,)))
    script.fact(port, "Which port does the gateway have?", asked)
    script.work(tokens=10_000)
    script.user("Which port is it?")


def newest(budget):
    """The newest messages that fit, whatever they answer."""
    def shorten(messages):
        kept = list(messages)
        while budget.count(kept) > budget.room:
            del kept[0]
        return kept
    return shorten


def everything(budget):
    """All messages, however many they are."""
    return lambda messages: messages


def failing(budget):
    """Raises at its third request."""
    made = []
    def shorten(messages):
        made.append(1)
        if len(made) == 3:
            raise RuntimeError("no more")
        return messages[:1]
    return shorten


def waits(budget):
    """Tells that it has begun, and never ends."""
    Path("waiting").touch()
    time.sleep(600)


class Counting:
    """Counts messages of requests."""

    columns = (MetricColumn("messages", "messages", "asked", "", "", about="messages a request"),)

    def open(self, session):
        """What counts in one session."""
        return lambda moment: BenchRuling({"messages": len(moment.request), "asked": 1})


counting = Counting()
'''


def small_scenario(folder: Path) -> Path:
    """The file `parts.py` in a folder: `small`, `newest`, `everything`, `failing`, `counting`."""
    path = folder / "parts.py"
    path.write_text(PARTS, "utf-8")
    return path
