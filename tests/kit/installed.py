"""A distribution that is really installed, with entry points, and programs that find it."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any


def installed(site: Path, package: str, entries: str) -> Path:
    """Install the distribution `acme` in a folder: its one module, and its entry points."""
    held = site / "acme-1.0.dist-info"
    held.mkdir(parents=True)
    (held / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n")
    (held / "entry_points.txt").write_text(entries)
    (site / "acme.py").write_text(package)
    return site


def printed(site: Path, code: str) -> Any:
    """What a program of that installation prints as JSON."""
    done = subprocess.run(
        [sys.executable, "-c", f"import json, sys, loom\n{code}"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(site), *sys.path])},
        capture_output=True,
        text=True,
        check=False,
        cwd=site,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
