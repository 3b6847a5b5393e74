"""What measures this repository, a package a thing: the commands beside are thin over it."""
