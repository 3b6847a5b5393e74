"""Recall measured on the conversations and questions of BEAM, beside plain BM25."""
