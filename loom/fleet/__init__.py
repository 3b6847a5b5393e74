"""Many agents at their addresses, worked on by processes, threads or a cluster.

    for run in loom.fleet.each(work, ["s3://runs/a", "s3://runs/b"], workers=4):
        print(run.address, run.result.summary if run.result else run.error)

`work` is called with an address and opens the agent there. The workers share nothing but the store.
Each address goes to one worker. The agent's result is stored once, beside the agent. `each` takes
any `concurrent.futures.Executor`; `loom.fleet.on_ray` has one for Ray."""

from loom.fleet.each import FleetRun, each
from loom.fleet.processes import Processes, tell

__all__ = ["FleetRun", "Processes", "each", "tell"]
