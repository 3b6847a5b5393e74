"""What a recorded session lost where its client compacted its window, what it went back for, and
what Loom would have kept at that size.

    session → `calls` → `again` (what was read, run and asked once more)
            → `things` (what was in use, and whether a text names it) → `losses`
"""

from loom.replay.lost.losses import SessionLoss as SessionLoss
from loom.replay.lost.losses import losses as losses
