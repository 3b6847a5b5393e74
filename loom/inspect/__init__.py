"""What a workspace holds and held, read from its journal: for commands and the report."""
