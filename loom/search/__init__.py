"""Search by words, and by meaning where an embedder is given, in an index that can be deleted.

The index holds terms and the places of texts that rest elsewhere, never the only copy of a text."""
