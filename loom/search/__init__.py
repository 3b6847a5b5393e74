"""Search by words, and by meaning where an embedder is given: an index that can be deleted.

Nothing here is the truth: the index holds terms, and names the places of texts that rest elsewhere.
"""
