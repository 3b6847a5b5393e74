"""Takeover: what a window says to whoever carries on from it, by labelled items.

`labels` reads the items and the sessions they are of, `ways` makes the text of each way of keeping
a window, `judge` looks for the items in it, `command` adds up.
"""
