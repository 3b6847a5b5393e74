"""What a recorded session lost where its client compacted its window, what it went back for, and
what Loom would have kept at that size.

    session → `calls` → `touched`, `things` (what was in use) → `holding` (what a text holds of it)
            → `after` (what was kept beside it) → `again` (what was read, run and asked again)
            → `losses`
"""

from loom.replay.lost.losses import SessionLoss as SessionLoss
from loom.replay.lost.losses import losses as losses
