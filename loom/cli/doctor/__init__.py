"""`loom doctor`: which parts of Loom are set up on this machine and whether they work.

`settings` reads the configuration of coding agents, `wiring` judges that configuration, and
`command` checks Loom itself and prints all results."""
