"""Large texts reduced by their structure, for an objective. Pure: no model, no disk, no clock."""

from loom.reduce.structure.structure import Structural, structural

__all__ = ["Structural", "structural"]
