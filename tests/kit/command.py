"""The command line of `loom` in a process of its own, which ends by an interrupt."""

import sys

# A shell that runs tests in the background lets them, and what they start, ignore an interrupt.
CODE = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from loom.cli import main
sys.exit(main())
"""
COMMAND = [sys.executable, "-c", CODE]
