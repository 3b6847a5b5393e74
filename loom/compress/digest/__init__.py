"""Digests: one bounded block that stands for a run of folded entries.

`collect` takes the facts of entries, `state` brings what belongs together down to what holds now,
`groups` says what stands in which order, `lines` how, and `fitting` chooses what fits.
"""
