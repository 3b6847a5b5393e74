"""Rules of a project's AGENTS.md files: which are in force at each request of an agent."""
