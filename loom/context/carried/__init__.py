"""Carrying on from a snapshot of another workspace."""
