"""What a turn costs as a session grows: Loom's, the floor of any keeper, and other keepers'."""
