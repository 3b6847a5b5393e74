"""What an agent's context window is: five partitions, the records that change them, the laws.

Pure: nothing here does I/O or tells time. Only `window.apply` changes a window."""
