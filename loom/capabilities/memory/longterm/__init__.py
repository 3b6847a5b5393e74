"""Memory that outlives sessions: `LongTerm`, and a store for each engine.

    open_longterm → LongTerm (the rules) → Sqlite or Rocks (the rows and their words)

A memory is stored once, superseded rather than changed, and deleted only when its time is over.
Nothing here knows of windows, journals or pages; where a memory came from is a text in `source`."""

NAMES = ("sqlite", "rocksdb")  # of the engines
