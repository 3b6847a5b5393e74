"""Snapshots of C_working: written at a renewal and at the end of a task, and checked when a
workspace is opened."""
