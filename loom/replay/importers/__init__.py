"""Recorded sessions read into `loom.inputs`, whatever recorded them.

A recorded shape is one `Importer`. A new one is a file that ends in it and a name in
`detect.IMPORTERS`; one that is not Loom's is an entry point of the group `loom.importers`. Either
is given the messages of a session as they were recorded: objects with a `role` or a `type`.
"""

from loom.replay.importers.detect import find, load
from loom.replay.importers.talks import Importer, RecordedMessage, Talk, readable
from loom.replay.importers.unreadable import BadSession

__all__ = ["BadSession", "Importer", "RecordedMessage", "Talk", "find", "load", "readable"]
