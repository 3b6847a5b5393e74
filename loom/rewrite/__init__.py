"""A workspace written anew: purged of secrets, repaired, moved to an archive; here or elsewhere."""
