"""Stage 1: what comes back from a tool, made minimal but recoverable. Pure: no disk, no clock."""
