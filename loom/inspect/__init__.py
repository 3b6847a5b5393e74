"""What a workspace holds and held, read from its journal: for the commands and the report."""
