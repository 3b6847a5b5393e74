"""Recorded sessions read into `loom.inputs`, whatever recorded them.

A format is known by its content, never by its name; `detect` asks the importers in their order, and
docs/replay.md lists what each reads. A session is also the list under `messages`, `traj`,
`history`, `input` or `contents` of an object.

An `Importer` reads one recorded shape. A new one is a file that ends in its `Importer`, and a line
in `detect.IMPORTERS`; an importer outside of Loom is an entry point of the group `loom.importers`.
Each importer is given the messages of a session as they were recorded: objects with a `role`, a
`type` or another mark of a message."""

from loom.replay.importers.detect import find, load
from loom.replay.importers.recorded_facts import RecordedFacts
from loom.replay.importers.talks import Importer, RecordedMessage, Talk, readable

__all__ = ["Importer", "RecordedFacts", "RecordedMessage", "Talk", "find", "load", "readable"]
