"""`loom doctor`: what of Loom is wired and works on this machine.

`settings` reads what coding agents are configured with, `wiring` judges that, and `command` looks
at Loom itself and prints it all.
"""
