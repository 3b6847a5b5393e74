"""How a command is bounded, and what became of it."""

from __future__ import annotations

from msgspec import Struct

TAIL = 4_000  # characters of what a failed command said on its standard error


class RunLimits(Struct, frozen=True):
    """The limits of one run. A value of 0 leaves out the limit of memory, processes or file size.

    `seconds` of wall time; `output` bytes that are kept of standard
    output, and as many of standard error; `memory` bytes of address space for each process;
    `processes` on top of those the system runs already (the kernel counts all of a user's, so it
    stops a fork bomb and is no exact number, and it does not hold for root); `file_size` bytes of
    a file that is written.
    """

    seconds: float = 60.0
    output: int = 1_000_000
    memory: int = 1 << 30
    processes: int = 64
    file_size: int = 1 << 28


class Ran(Struct, frozen=True):
    """A command that was run.

    `command` is its words; `exit_code` is -n when signal n ended it; `cut` counts the bytes of both
    outputs that were not kept.
    """

    command: tuple[str, ...]
    exit_code: int
    stdout: bytes
    stderr: bytes
    seconds: float
    cut: int = 0
    timed_out: bool = False

    @property
    def ok(self) -> bool:
        """True when it ended by itself, with 0."""
        return self.exit_code == 0 and not self.timed_out

    @property
    def text(self) -> str:
        """The text shown to the model: the output and, after a failure, how and why it ended."""
        said = self.stdout.decode("utf-8", "replace")
        notes = [f"[{self.cut:,} more bytes were not kept]"] if self.cut else []
        if self.timed_out:
            notes.append(f"[stopped after {self.seconds:.1f} s]")
        elif self.exit_code:
            notes.append(f"[exit code {self.exit_code}]")
        if not self.ok:
            notes.append(self.stderr.decode("utf-8", "replace").strip()[-TAIL:])
        parts = [said.rstrip("\n") if notes else said, *notes]
        return "\n".join(part for part in parts if part) if notes else said
