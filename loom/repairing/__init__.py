"""Repair: all of a damaged workspace that verifies, written into a new one; the rest is told."""

from loom.repairing.repair import BadRepair, repair
from loom.repairing.report import LeftOut, LostPage, RepairedWorkspace, RepairReport

__all__ = ["BadRepair", "LeftOut", "LostPage", "RepairReport", "RepairedWorkspace", "repair"]
