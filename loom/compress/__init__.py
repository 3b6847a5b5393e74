"""Compression: one file a level, the ladder that chooses, digests, and what renewal keeps."""
