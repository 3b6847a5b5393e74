"""The capabilities of an agent beside its window: memory, skills, tools, agents, events."""
