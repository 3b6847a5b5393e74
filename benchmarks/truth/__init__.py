"""Judges of what a window says: simulated sessions whose truth is known, and their readers."""
