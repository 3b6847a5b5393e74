"""Records: everything that happens to a window, in the past tense, each in its partition's file.

Inputs record what came from outside. Decisions (Compressed, Renewed, Turned, Faulted …) record what
the engine chose, with the results of the choice, so that a replay needs no model, no clock and no
vocabulary. Token counts, shortened texts and page names are all in the record."""

from __future__ import annotations

from loom_partitions.config import Opened as Opened
from loom_partitions.config import Redacted as Redacted
from loom_partitions.config import Resized as Resized
from loom_partitions.cuts import Certificate as Certificate
from loom_partitions.cuts import Compressed as Compressed
from loom_partitions.cuts import Renewed as Renewed
from loom_partitions.cuts import Repaired as Repaired
from loom_partitions.cuts import Undone as Undone
from loom_partitions.history import Answered as Answered
from loom_partitions.history import Brought as Brought
from loom_partitions.history import CarriedOn as CarriedOn
from loom_partitions.history import Faulted as Faulted
from loom_partitions.history import Heard as Heard
from loom_partitions.history import Pinned as Pinned
from loom_partitions.history import Replied as Replied
from loom_partitions.history import Rethought as Rethought
from loom_partitions.history import Returned as Returned
from loom_partitions.journaled import Remembered as Remembered
from loom_partitions.journaled import Sifted as Sifted
from loom_partitions.journaled import Synced as Synced
from loom_partitions.scratchpad import Noted as Noted
from loom_partitions.sent import Beside as Beside
from loom_partitions.sent import Informed as Informed
from loom_partitions.sent import Metered as Metered
from loom_partitions.sent import Overflowed as Overflowed
from loom_partitions.sent import Requested as Requested
from loom_partitions.sent import SentAgain as SentAgain
from loom_partitions.sent import Turned as Turned
from loom_partitions.shelf import Shelved as Shelved
from loom_partitions.skill import SkillUsed as SkillUsed
from loom_partitions.surfaces import HandedOver as HandedOver
from loom_partitions.surfaces import Resulted as Resulted
from loom_partitions.surfaces import Spawned as Spawned
from loom_partitions.working import Acknowledged as Acknowledged
from loom_partitions.working import Evidenced as Evidenced
from loom_partitions.working import Finished as Finished
from loom_partitions.working import Planned as Planned
from loom_partitions.working import Progressed as Progressed
from loom_partitions.working import Questioned as Questioned
from loom_partitions.working import Signalled as Signalled
from loom_partitions.working import Tasked as Tasked

Record = (
    Opened | Resized | CarriedOn | Undone | Repaired | Redacted
    | Shelved | SkillUsed | Tasked | Planned | Progressed | Noted
    | Questioned | Evidenced | Signalled | Acknowledged | Finished
    | Heard | Replied | Rethought | Returned | Brought | Faulted | Pinned | Answered
    | Spawned | Resulted | HandedOver
    | Turned | SentAgain | Requested | Informed | Metered | Beside | Overflowed
    | Compressed | Renewed
    | Remembered | Sifted | Synced
)  # fmt: skip
