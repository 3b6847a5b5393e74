"""Stage 1: results of tools, made minimal but recoverable. Pure: no disk, no clock."""
