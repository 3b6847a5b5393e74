"""The heartbeat: one thread that watches the world for a running agent, and asks, never decides.

    sources → Poller.beat → sink

A `Source` tells each occurrence once; the `Poller` sends it once, keeps it while the sink
fails, and makes a `Signal` of whatever goes wrong on the way. A signal has
an urgency; whether to heed it is the host's to say.
"""

from loom.capabilities.events.capability import Disposition, Heartbeat, Urgency
from loom.capabilities.events.file_watch import FileWatch
from loom.capabilities.events.inbox import Inbox, put
from loom.capabilities.events.poller import Poller
from loom.capabilities.events.process_watch import ProcessWatch
from loom.capabilities.events.resource_watch import DiskWatch, MemoryWatch
from loom.capabilities.events.signal import BadSignal, Receipts, Signal, Source
from loom.capabilities.events.timers import Timers

__all__ = [
    "BadSignal",
    "DiskWatch",
    "Disposition",
    "FileWatch",
    "Heartbeat",
    "Inbox",
    "MemoryWatch",
    "Poller",
    "ProcessWatch",
    "Receipts",
    "Signal",
    "Source",
    "Timers",
    "Urgency",
    "put",
]
