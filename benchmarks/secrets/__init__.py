"""Made secrets of many kinds, brought in by every way there is, and looked for on the disk."""
