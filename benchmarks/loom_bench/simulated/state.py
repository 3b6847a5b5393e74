"""What is true at one moment of a simulated session."""

from __future__ import annotations

from msgspec import Struct, field

RunKey = tuple[str, str]  # (folder the command runs in, "" the project's own; the command)

PASS, FAIL = "passes", "fails"
EDITED, WROTE, REFUSED, REVERTED = "edited", "written", "refused", "reverted"
FORBIDDEN, REQUIRED, LIFTED = "forbidden", "required", "lifted"
PENDING, DOING, DONE = "pending", "in progress", "done"


class Failure(Struct):
    """A test or a place that failed: what it said, the runs whose success closes it."""

    message: str
    closers: list[RunKey]
    open: bool = True


class Truth(Struct):
    """Everything a question may ask about. Lists are in the order things happened."""

    deeds: dict[str, list[str]] = field(default_factory=dict)  # file → what was done to it
    changed_last: str = ""  # the file, "" after something was reverted
    seen: list[str] = field(default_factory=list)  # files that were only read
    runs: dict[RunKey, list[str]] = field(default_factory=dict)
    scenes: dict[RunKey, str] = field(default_factory=dict)  # what a run is there to show
    failures: dict[str, Failure] = field(default_factory=dict)
    rules: dict[str, str] = field(default_factory=dict)  # what a rule is about → its state
    decisions: dict[str, list[str]] = field(default_factory=dict)  # topic → choices
    values: dict[str, list[str]] = field(default_factory=dict)  # setting → values
    corrections: dict[str, tuple[str, str]] = field(default_factory=dict)  # (wrong, right)
    headings: list[str] = field(default_factory=list)  # of the user's plan
    steps: list[str] = field(default_factory=list)
    code: list[str] = field(default_factory=list)
    tasks: dict[str, str] = field(default_factory=dict)
    commits: list[str] = field(default_factory=list)
    uncommitted: list[str] = field(default_factory=list)  # messages of commits that were refused
    reports: dict[str, str] = field(default_factory=dict)  # command → what its output holds

    def copy(self) -> Truth:
        """Return the same truth, which later events leave alone."""
        return Truth(
            {path: list(deeds) for path, deeds in self.deeds.items()},
            self.changed_last,
            list(self.seen),
            {key: list(runs) for key, runs in self.runs.items()},
            dict(self.scenes),
            {id: Failure(one.message, one.closers, one.open) for id, one in self.failures.items()},
            dict(self.rules),
            {topic: list(choices) for topic, choices in self.decisions.items()},
            {name: list(values) for name, values in self.values.items()},
            dict(self.corrections),
            list(self.headings),
            list(self.steps),
            list(self.code),
            dict(self.tasks),
            list(self.commits),
            list(self.uncommitted),
            dict(self.reports),
        )
