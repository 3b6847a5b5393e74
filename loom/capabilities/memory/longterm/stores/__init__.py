"""Stores of memories: rows and the words that find them, in SQLite or in RocksDB.

backend: what a store does → sqlite (database), rocks (folder, table) → words, faults
"""
