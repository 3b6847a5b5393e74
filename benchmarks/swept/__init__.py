"""The sweep: recorded sessions through windows of several sizes, each request audited.

`drive` replays one session in one window, `sweep` says which jobs there are, `tally` adds findings
up, `report` writes them down. `busy` and `project` are what a host may do beside the session.
"""
