"""Streams: what a provider sends piece by piece, a file for each format's collector."""

from loom.providers.formats.stream.chunks import BrokenStream, StreamFailed

__all__ = ["BrokenStream", "StreamFailed"]
