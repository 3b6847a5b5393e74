"""Recorded compactions: what was needed after them, and who held it."""
