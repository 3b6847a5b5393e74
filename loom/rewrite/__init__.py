"""Rewrite whole workspaces, in a folder or at an address: purge secrets, repair damage, move a
workspace into or out of an archive."""
