"""Texts made of lines: logs, listings, diffs, code and prose, by the lines that tell most."""
