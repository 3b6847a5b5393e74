"""A secret found later leaves what Loom wrote: found, replaced, and the journal still folds."""

from loom.purging.purge import purge
from loom.purging.report import PurgedPlace, PurgedValue, PurgeReport
from loom.purging.secrets import BadPurge

__all__ = ["BadPurge", "PurgeReport", "PurgedPlace", "PurgedValue", "purge"]
