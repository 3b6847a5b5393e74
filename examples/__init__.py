"""Loom in agent frameworks that have no adapter of their own: a module each, to copy and change."""
