"""Loom as a hook of Claude Code: large results become pages, and after a compaction the model is
told what is held.

Claude Code starts `python -m loom.hook` at each of these events, with the event as JSON on stdin,
and takes what is printed. Most calls have nothing to say, so nothing of the engine is imported
before a large result, or a compaction, asks for it.
"""
