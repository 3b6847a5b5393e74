"""Pages of `docs/adapters`, run as printed against a scripted server."""

import os
import re
import subprocess
import sys
from pathlib import Path

import loom

ROOT = Path(loom.__file__).parents[1]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks_of(page: str) -> list[str]:
    """The Python blocks of a page."""
    return BLOCK.findall((ROOT / "docs/adapters" / page).read_text("utf-8"))


def printed(block: str, folder: Path, url: str) -> str:
    """What a block prints in a folder, where the provider is at `url`."""
    paths = os.pathsep.join(str(ROOT / name) for name in ("", "partitions", "paging"))
    env = {
        "PYTHONPATH": paths,
        "PATH": "/usr/bin:/bin",
        "PYTHONIOENCODING": "utf-8",
        "HOME": str(folder),
        "NO_PROXY": "127.0.0.1",
        "OPENAI_API_KEY": "key",
        "OPENAI_BASE_URL": url,
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "MSWEA_SILENT_STARTUP": "1",
        "MSWEA_COST_TRACKING": "ignore_errors",
    }
    done = subprocess.run(
        [sys.executable, "-c", block],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env=env,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
