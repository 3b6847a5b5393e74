"""Recorded sessions. They are read from files, fed to a window, and checked against Loom's laws."""
