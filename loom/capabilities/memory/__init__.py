"""C_memory: what a project's files say to its agents, notes, and memory that outlives sessions."""
