"""A capability with which nothing opens."""

import loom


class Unable(loom.Capability):
    """Fails before an agent is born: what was recorded of it stands, as after a kill there."""

    name = "unable"

    def attached(self, context: loom.Context) -> None:
        """Raise LoomError."""
        raise loom.LoomError("unable to open")
