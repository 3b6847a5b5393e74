"""Measurements of Loom."""
