"""`loom doctor`: what of Loom is wired and works on this machine.

`machine` looks at Loom itself, `settings` reads what coding agents are configured with, `wiring`
judges that; `finding` is what each check says, and `command` prints it.
"""
