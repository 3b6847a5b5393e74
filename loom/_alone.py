"""Checks, when `loom` is imported, that no other package named `loom` shares Loom's folder.

Another project also installs a package `loom`. If both are installed in one folder, their modules
mix and fail later in odd ways. So the import fails at once and names the foreign files."""

from __future__ import annotations

from pathlib import Path

PARTS = frozenset(
    {
        "__init__.py", "__main__.py", "_alone.py", "adapters", "aio",
        "capabilities", "capability.py", "cli", "compress", "context", "disk.py",
        "errors.py", "exposed.py", "fleet", "home.py", "hook", "inputs.py", "inspect", "lazy.py",
        "live.py", "mcp", "opening.py", "policy.py", "providers", "py.typed", "redact", "reduce",
        "replay", "report", "retention.py", "rewrite", "search", "serve", "session", "sizes.py",
        "text.py", "typed.py", "version.py",
    }
)  # fmt: skip


def foreign_modules(folder: Path) -> list[str]:
    """Return the sorted names of Python files and packages in `folder` that are not Loom's."""
    others = (path for path in folder.iterdir() if path.name not in PARTS)
    return sorted(
        path.name for path in others if path.suffix == ".py" or (path / "__init__.py").is_file()
    )


_FOUND = foreign_modules(Path(__file__).parent)
if _FOUND:
    raise ImportError(
        f"{Path(__file__).parent} holds files of another distribution beside Loom's"
        f" ({', '.join(_FOUND[:5])}): two packages named loom cannot share one folder (loom-agent"
        " is one such); install loom-window in an environment of its own"
    )
