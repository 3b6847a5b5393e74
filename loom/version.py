"""The version of Loom. It is a separate module, so that reading it imports nothing else."""

VERSION = "0.1.0"
__version__ = VERSION
