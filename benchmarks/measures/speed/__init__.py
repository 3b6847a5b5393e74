"""What a turn costs as a session grows: Loom's, the floor of any keeper, and other keepers'.

Sessions are chained into one agent's life. A turn is the reply before it, its results, and the
request in wire form. `plain` is a turn without a cut. The floor (`floor.py`) is what any keeper of
these messages would pay. Growth is the median of the last fifth of plain turns over that of the
first; of fewer than JUDGED of them it is told and not judged. All is thread CPU unless it says
wall; the journal is not synced (`durable=False`), so wall times are without waits for the disk.
"""
