"""Workspaces written anew, in a folder or at an address: purged, repaired, or archived."""
