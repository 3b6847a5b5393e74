"""Streams: what a provider sends piece by piece, a file for each format's collector."""
