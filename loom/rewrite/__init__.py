"""Workspaces written anew, in a folder or at an address: purged, repaired, archived, unpacked."""
