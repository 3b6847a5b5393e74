"""The version of Loom, in its own module: everything written for one version imports it."""

VERSION = "0.1.0"
__version__ = VERSION
