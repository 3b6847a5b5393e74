"""How a line ends and the next begins, where a text is shown with more on its lines."""

from __future__ import annotations

# A line's end, and how the next begins in a diff, a numbered listing, among the hits of grep. The
# question mark is any sign beyond Latin-1, as an arrow.
NEXT = r"\n(?:[ ]{0,8}\d{1,6}[:?\t|)-]|[\w./-]{1,80}[:-]\d{1,6}[:-]|[-+])?[ \t]{0,60}"
