"""Loom as a hook of Claude Code: large results become pages; a report follows a compaction.

Claude Code starts `python -m loom.hook` at each of these events, with the event as JSON on stdin,
and uses what the hook prints. Most calls print nothing, so the engine is imported only for a large
result or a compaction."""
