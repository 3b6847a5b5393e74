"""Takeover: what a window says to whoever carries on from it, by labelled items."""
