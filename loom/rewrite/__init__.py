"""Workspaces rewritten as a whole, in a folder or at an address: to purge secrets, to repair
damage, or to move a workspace to or from an archive."""
