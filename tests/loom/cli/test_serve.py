"""`loom serve`: its options as the pages have them, and what it says when it was misread."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("uvicorn")

from loom.cli import main
from loom.home import project_of
from tests.kit.cases import all_cases
from tests.serve.proxies import ServedProxy, environment
from tests.serve.upstream import Upstream

ASKED = """
import os, sys
from urllib.request import ProxyHandler, Request, build_opener
url = os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages"
head = {"content-type": "application/json", "x-loom-session": "a"}
build_opener(ProxyHandler({})).open(Request(url, sys.argv[1].encode(), head)).read()
"""


@all_cases("words", ["--bogus -- true", "--bogus 3 true", "-x true", "--window 9 --bogus=3"])
def test_an_option_nobody_knows_is_named(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    """It is not taken for a client's command, and nothing is started."""
    assert main(["serve", *words.split()]) == 2
    said = capsys.readouterr().err
    option = next(one for one in words.split() if one.startswith(("--bogus", "-x")))
    assert f"no option {option}:" in said and "`loom serve -- claude" in said
    assert "workspaces in" not in said


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells which user asks")
def test_the_project_of_a_client_is_recorded(tmp_path: Path) -> None:
    """The folder it is started in, for its own user's conversations; not for what another forwards,
    and by a proxy that runs by itself for none."""
    told = [{"role": "user", "content": "Begin."}]
    body = json.dumps({"model": "claude-sonnet-4-5", "max_tokens": 900, "messages": told})
    far = ASKED.replace('"x-loom-session": "a"', '"x-loom-session": "far", "forwarded": "for=a"')
    with Upstream(lambda request, n: "Well.") as up:
        proxy = ServedProxy(up.url, tmp_path / "ws")
        for asked in (ASKED, far):
            words = proxy.command("--", sys.executable, "-c", asked, body)
            subprocess.run(words, env=environment(), cwd=tmp_path, check=True, timeout=60)
        with ServedProxy(up.url, tmp_path / "alone") as alone:
            url = {**environment(), "ANTHROPIC_BASE_URL": alone.url}
            words = [sys.executable, "-c", ASKED, body]
            subprocess.run(words, env=url, cwd=tmp_path, check=True, timeout=60)
    found = {one.name.split("-")[1]: project_of(one) for one in proxy.workspaces}
    assert found == {"a": os.path.realpath(tmp_path), "far": ""}
    assert [project_of(one) for one in alone.workspaces] == [""]


def test_a_window_that_holds_nothing_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Before anything listens: which option, why, and one that would do."""
    for window in ("0", "10", "500"):
        assert main(["serve", "--window", window, "--folder", str(tmp_path), "--port", "0"]) == 2
        err = capsys.readouterr().err
        assert "window" in err and "Traceback" not in err
