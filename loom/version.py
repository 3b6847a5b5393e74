"""The version of Loom, in a module of its own: everything else written for one version
imports it."""

VERSION = "0.1.0"
__version__ = VERSION
