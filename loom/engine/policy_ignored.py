"""The warning of a policy that a known workspace does not take."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class PolicyIgnored(UserWarning):
    """A known workspace keeps the policy it was opened with, and another was given.

    `fields` are the names in which the two differ.
    """

    def __init__(self, given: Mapping[str, Any], kept: Mapping[str, Any]) -> None:
        self.given, self.kept = dict(given), dict(kept)
        self.fields = tuple(name for name in kept if given.get(name) != kept[name])
        told = ", ".join(f"{name}={kept[name]!r}" for name in self.fields[:3])
        more = f" and {len(self.fields) - 3} more" if len(self.fields) > 3 else ""
        super().__init__(
            f"policy: the workspace keeps the one it was made with ({told}{more}); give none, or"
            " open a new workspace with this one"
        )

    def __reduce__(self) -> tuple[type[PolicyIgnored], tuple[dict[str, Any], dict[str, Any]]]:
        return type(self), (self.given, self.kept)
