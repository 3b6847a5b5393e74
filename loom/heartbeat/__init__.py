"""The heartbeat: one thread that watches the world for a running agent, and asks, never decides.

    sources → Heartbeat.beat → sink

A `Source` tells each occurrence once; the `Heartbeat` sends it once, keeps it while the sink
fails, and makes a `Signal` of whatever goes wrong on the way. What a signal asks for (to queue,
to request attention, to interrupt) is its `attention`; whether to heed it is the host's to say.
"""

from loom.heartbeat.beat import Heartbeat
from loom.heartbeat.disk import Disk
from loom.heartbeat.files import Files
from loom.heartbeat.inbox import Inbox, put
from loom.heartbeat.memory import Memory
from loom.heartbeat.processes import Processes
from loom.heartbeat.signal import ATTENTION, BadSignal, Receipts, Signal, Source
from loom.heartbeat.timers import Timers

__all__ = [
    "ATTENTION",
    "BadSignal",
    "Disk",
    "Files",
    "Heartbeat",
    "Inbox",
    "Memory",
    "Processes",
    "Receipts",
    "Signal",
    "Source",
    "Timers",
    "put",
]
