"""What an agent's context window is: five partitions, the records that change them, and the laws.

Pure: nothing here does I/O or tells time. `window.apply` is the only code that changes a window.
"""
