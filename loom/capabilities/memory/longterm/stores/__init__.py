"""Stores of memories: rows and the words that find them, in SQLite, or in RocksDB and SQLite.

sqlite (its file in database, words) ← rocks (its folder in folder); faults: their errors
"""
