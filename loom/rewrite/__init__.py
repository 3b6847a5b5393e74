"""Workspaces written anew, in a folder or at an address: purged of secrets, repaired, or moved to
and from an archive."""
