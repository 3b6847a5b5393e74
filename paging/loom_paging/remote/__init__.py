"""A store on an object store (S3, GCS, Azure, a folder, memory), for agents that may run anywhere.

Theory of operation. All backends keep one promise: of several writers of one
key, put-if-absent lets exactly one win. A writer writes one *log*: objects `log/000000000001`,
`…02` and on, each a batch of changes (bytes put under a name, appended, cut, linked, removed), each
put-if-absent under the number after the last. The state of the store is the fold of its log.

So a writer is fenced without a clock. A writer that takes over puts a batch first, with a higher
*epoch*: the next batch of the writer before finds its number taken, by bytes that are not its own,
and raises StoreReplaced; nothing it does later reaches the log. A lease tells others who writes and
keeps them from taking over by accident; safety never rests on it.

Changes are gathered and put together when they are to be durable: once a turn, in one round trip,
or two when bytes are too large for the log and are put under their sha256 first. A put whose answer
was lost finds its own bytes in the object and knows that it was done.

Now and then the fold itself is put, as a checkpoint, and the bytes in many small batches are merged
into one object. Opening reads the newest checkpoint and the few batches behind it."""
