"""What weeks of work in one workspace leave on the disk and in memory."""
