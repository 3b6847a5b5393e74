"""What an agent may have beside its window: memory, skills, tools, agents, events."""
