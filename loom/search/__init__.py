"""Search by words, and by meaning if an embedder is given, in an index that can be deleted.

The index holds terms and where each text is stored, never the only copy of a text."""
