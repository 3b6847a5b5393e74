"""Loom as a hook of Claude Code: large tool results become pages, and after a compaction the model
is told what Loom holds.

Claude Code starts `python -m loom.hook` at each of these events, with the event as JSON on stdin,
and uses what the hook prints. Most calls print nothing, so the engine is imported only for a large
result or a compaction."""
