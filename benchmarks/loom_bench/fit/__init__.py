"""The constants of Loom's retention, fitted to labelled sessions and tested on others.

`constants` is the point that moves, `replay` what one session says of it, `bench` runs many,
`objective` adds up, `search` moves and tests, `report` writes down.
"""
