"""Carryover of compactions: recorded boundaries, what was needed after them, and who held it.

`boundaries` finds them in recorded sessions, `items` says what the calls after one used, `windows`
renews Loom there, `figures` adds up.
"""
