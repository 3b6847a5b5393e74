"""The heartbeat: one thread that watches the world for a running agent; it reports and never
decides.

    sources → Poller.beat → sink

A `Source` tells what has happened since it was last looked at; the `Poller` sends each occurrence
once, keeps it while the sink fails, and makes a `Signal` of whatever goes wrong on the way. A
signal has an urgency; the host decides whether to heed it."""
