"""The version of Loom, by itself: whatever is written for one version only names it."""

VERSION = "0.1.0"
__version__ = VERSION
