"""Streams: a collector for each format, which joins a reply's chunks."""
