"""`loom bench`: strategies held against scenarios, runs compared, recorded sessions."""
