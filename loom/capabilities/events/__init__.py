"""The heartbeat: one thread that watches the world for a running agent, and asks, never decides.

    sources → Heartbeat.beat → sink

A `Source` tells each occurrence once; the `Heartbeat` sends it once, keeps it while the sink
fails, and makes a `Signal` of whatever goes wrong on the way. What a signal asks for (to queue,
to request attention, to interrupt) is its `attention`; whether to heed it is the host's to say.
"""

from loom.capabilities.events.beat import Heartbeat
from loom.capabilities.events.capability import Disposition, Events, Urgency
from loom.capabilities.events.disk import Disk
from loom.capabilities.events.files import Files
from loom.capabilities.events.inbox import Inbox, put
from loom.capabilities.events.memory import Memory
from loom.capabilities.events.processes import Processes
from loom.capabilities.events.signal import ATTENTION, BadSignal, Receipts, Signal, Source
from loom.capabilities.events.timers import Timers

__all__ = [
    "ATTENTION",
    "BadSignal",
    "Disk",
    "Disposition",
    "Events",
    "Files",
    "Heartbeat",
    "Inbox",
    "Memory",
    "Processes",
    "Receipts",
    "Signal",
    "Source",
    "Timers",
    "Urgency",
    "put",
]
