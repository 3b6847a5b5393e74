"""The examples in the docstrings of public names run as they stand."""

from __future__ import annotations

import doctest
import importlib

import pytest

import loom
from tests.docs.test_snippets import ROOT

FOLDERS = (ROOT, ROOT / "partitions", ROOT / "paging")
PACKAGES = ("loom", "loom_partitions", "loom_paging")
SHOWN = sorted(
    ".".join(path.relative_to(folder).with_suffix("").parts)
    for folder, package in zip(FOLDERS, PACKAGES, strict=True)
    for path in (folder / package).rglob("*.py")
    if "  >>> " in path.read_text("utf-8")
)


@pytest.mark.parametrize("name", SHOWN)
def test_an_example_runs(name: str) -> None:
    """It prints what the docstring shows; `loom` is all it imports."""
    failed, tried = doctest.testmod(importlib.import_module(name), extraglobs={"loom": loom})
    assert failed == 0 and tried
