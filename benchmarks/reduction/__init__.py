"""Large results made short: what each way keeps of what later calls needed."""
