"""Recorded sessions: read, fed to a window, and held against the laws from outside."""
