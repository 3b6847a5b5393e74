"""`loom report`."""

from __future__ import annotations

import os
from pathlib import Path

from tests.loom.cli.conftest import Run


def test_what_is_no_report_is_not_replaced(run: Run, replayed: Path, tmp_path: Path) -> None:
    """A report is, anything else only with --force."""
    out = tmp_path / "r.html"
    out.write_text("mine")
    code, _, err = run("report", replayed, "-o", out)
    assert code == 2 and "--force" in err and out.read_text() == "mine"
    assert run("report", replayed, "-o", out, "--force")[0] == 0
    assert run("report", replayed, "-o", out)[0] == 0
    code, _, err = run("report", replayed, "-o", replayed / "outputs" / "r.html")
    assert code == 2 and "lies in a workspace" in err
    os.mkfifo(tmp_path / "pipe")
    for more in ((), ("--force",)):
        assert run("report", replayed, "-o", tmp_path / "pipe", *more)[0] == 2
    assert (tmp_path / "pipe").is_fifo()
    code, _, err = run("report", replayed, "-o", tmp_path)
    assert code == 2 and "is a folder" in err
    code, _, err = run("report", replayed, "-o", tmp_path / "no" / "r.html")
    assert code == 2 and "make it first" in err


def test_a_file_that_is_no_session_is_skipped(run: Run, recorded: Path, tmp_path: Path) -> None:
    """The page is made of the others, and it is told; alone it is an error."""
    folder = tmp_path / "mixed"
    folder.mkdir()
    (folder / "a.jsonl").write_bytes((recorded / "short.jsonl").read_bytes())
    (folder / "b.jsonl").write_bytes(b"\xff\xfe nothing\n")
    code, out, err = run("report", folder, "-o", tmp_path / "r.html")
    assert code == 0 and out.startswith("wrote ") and "skipped" in err and "b.jsonl" in err
    code, _, err = run("report", folder / "b.jsonl", "-o", tmp_path / "s.html")
    assert code == 2 and "not UTF-8" in err and not (tmp_path / "s.html").exists()
