"""The README as the wheel and the source archive carry it, for pages that show it elsewhere.

In the repository its links lead to files beside it. Where a package's description is shown there
are none of these files, so each such link would lead nowhere. With LOOM_PAGES, the address under
which the repository's files lie, the links lead there. Without it a link becomes its words, the
picture what it says, and a line tells where the pages are.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

ADDRESS = "LOOM_PAGES"
PICTURE = re.compile(r"!\[([^\]]*)\]\((?!\w+:)([^()\s]+)\)")
LINK = re.compile(r"\[([^\]]*)\]\((?!\w+:|#)([^()\s]+)\)")
PLACE = "The pages named here are in the folder `docs/` of the source archive.\n\n"
FIRST = "## Install\n"  # the line stands before it


class Readme(MetadataHookInterface):
    """Puts the README into the metadata."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Give the readme, with links that work where it is shown."""
        text = Path(self.root, "README.md").read_text("utf-8")
        made = shown(text, os.environ.get(ADDRESS, ""))
        metadata["readme"] = {"content-type": "text/markdown", "text": made}


def shown(text: str, address: str = "") -> str:
    """The text with its relative links under an address, or without them where there is none."""
    if address:
        base = address.rstrip("/") + "/"
        text = PICTURE.sub(lambda found: f"![{found[1]}]({base}{found[2]})", text)
        return LINK.sub(lambda found: f"[{found[1]}]({base}{found[2]})", text)
    text = PICTURE.sub(lambda found: f"*{found[1]}.*", text)
    return LINK.sub(lambda found: found[1], text).replace(FIRST, PLACE + FIRST, 1)
