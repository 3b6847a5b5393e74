"""Other packages' windows, as their documentation drives them; each is optional.

A peer is a factory like the built-in baselines. Its request is what the package leaves; one that is
too large, or whose pairs are broken, is mended as a harness would have to, and counted as rescued.
Where a package wants a model, a fake one stands in that is never asked; where it wants a summary,
the fixed extract of `baselines.stub` is given; where it takes a token counter, ours is.
`make test-all` installs them all.
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version

from msgspec import Struct

from loom_bench.plain_list import Meter
from loom_bench.strategies.baselines import Policy


class PeerPackage(Struct, frozen=True):
    """A package by the name it is installed under, and where its factory is in this folder."""

    package: str
    module: str
    factory: str

    def open(self, capacity: int, meter: Meter) -> Policy:
        """A fresh policy. Raises ImportError when the package is not installed."""
        module = import_module(f"{__name__}.{self.module}")
        made: Policy = getattr(module, self.factory)(capacity, meter)
        return made

    @property
    def installed(self) -> bool:
        """True when the package is installed."""
        try:
            return bool(version(self.package))
        except PackageNotFoundError:
            return False


PEERS: dict[str, PeerPackage] = {
    "langchain_trim": PeerPackage("langchain", "langchain", "trim"),
    "langchain_clear": PeerPackage("langchain", "langchain", "clear"),
    "langchain_summary": PeerPackage("langchain", "langchain", "summary"),
    "deepagents": PeerPackage("deepagents", "langchain", "DeepAgents"),
    "pydantic_sliding": PeerPackage("pydantic-ai-harness", "pydantic_ai", "sliding"),
    "pydantic_tiered": PeerPackage("pydantic-ai-harness", "pydantic_ai", "tiered"),
    "strands_sliding": PeerPackage("strands-agents", "strands", "sliding"),
}
