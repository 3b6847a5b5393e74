"""`served`: requests through `loom serve`, beside the same ones sent straight to their provider."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.measures.served.ledger import ProviderLedger
from benchmarks.measures.served.running import serving
from benchmarks.options import FromOne, Json, Sessions, refuse
from benchmarks.show import Bar, end, on_stderr
from loom.replay.importers.unreadable import BadSession
from loom_bench.sessions.chained import recorded


def served(
    *,
    sessions: Sessions | None = None,
    calls: FromOne = 200,
    window: FromOne = 64_000,
    conversations: FromOne = 50,
    rounds: FromOne = 8,
    each: FromOne = 10,
    json: Json = False,
) -> int:
    """Send requests through `loom serve` and straight to a provider: latency, bytes, memory.

    Parameters
    ----------
    sessions
        Files or folders of recorded sessions, chained; without any, generated ones.
    calls
        Requests of the one conversation that is timed.
    window
        Tokens of the proxy's window.
    conversations
        How many there are at once, for memory and to keep apart.
    rounds
        How often each of them goes on.
    each
        Requests of a conversation in a round.
    """
    try:
        given = recorded(sessions)
    except BadSession as error:
        return refuse(f"--sessions: {error}")
    try:
        from benchmarks.measures.served import measure
        from benchmarks.measures.served.provider import provider
    except ImportError:
        return refuse("this needs the extra `serve`: pip install '.[serve]' in a checkout of Loom")
    ledger = ProviderLedger()
    with TemporaryDirectory(prefix="loom-served-") as folder, provider(ledger.hear) as url:
        with serving(Path(folder, "one"), url, window) as proxy, Bar("requests", calls) as bar:
            one = measure.one(given, calls, url, proxy, bar.advance)
        with serving(Path(folder, "many"), url, window) as proxy, Bar("rounds", rounds) as bar:
            many = measure.many(given, conversations, rounds, each, proxy, bar.advance)
    one |= {name: measure.told(ledger, name) for name in (measure.ALONE, measure.THROUGH)}
    strange = sum(told.strange for told in ledger.of.values())
    report: dict[str, Any] = {"window": window, **one, **many, "strange": strange}
    end(report, [] if json else [measure.served_table(report)])
    late = measure.missed(report)
    for line in late:
        on_stderr(line)
    return int(bool(late))
