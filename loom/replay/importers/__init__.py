"""Reads recorded sessions of many agents and providers into the events of `loom.inputs`.

A format is recognized by a file's content, never by its name. `detect` asks the importers in a
fixed order. docs/replay.md lists what each one reads. A session may also be an object with the list
of messages under `messages`, `traj`, `history`, `input` or `contents`.

An `Importer` reads one format. To add one, write a module that ends in its `Importer` and add a
line to `detect.IMPORTERS`. An importer outside of Loom is an entry point of the group
`loom.importers`. Importers get the messages as they were recorded: objects with a `role`, a `type`
or another field that only messages have."""

from loom.replay.importers.detect import find, load
from loom.replay.importers.recorded_facts import RecordedFacts
from loom.replay.importers.talks import Importer, RecordedMessage, Talk, readable

__all__ = ["Importer", "RecordedFacts", "RecordedMessage", "Talk", "find", "load", "readable"]
