"""Workspaces on object stores for what reads and writes folders: through mirrors of them."""
