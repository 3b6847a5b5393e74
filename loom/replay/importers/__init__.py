"""Recorded sessions read into `loom.inputs`, whatever recorded them.

A new recording is a file with `accepts` and `events`, and a line in `detect.IMPORTERS`.
"""

from loom.replay.importers.detect import find, load
from loom.replay.importers.errors import BadSession

__all__ = ["BadSession", "find", "load"]
