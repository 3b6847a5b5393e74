"""What stands in a text in base64 or in hexadecimal digits is read once."""

from __future__ import annotations

from base64 import b64encode, encodebytes

from hypothesis import given
from hypothesis import strategies as st

from loom.redact import Redactor
from loom.redact.excerpts import Excerpt
from loom.redact.search import encoded
from tests.kit.secrets_made import SECRET

SAID = f"the key is {SECRET}, keep it"


@given(st.text(st.characters(codec="ascii", categories=["L", "N", "P"]), min_size=24, max_size=90))
def test_what_a_run_says(said: str) -> None:
    """Base64 and digits of an ASCII text say it, at the place where they stand."""
    for run in (b64encode(said.encode()).decode(), said.encode().hex()):
        text = f"<{run}>"
        spans = [(text[start:end], found) for start, end, found in encoded(text, Excerpt(text))]
        if any(map(str.isdigit, run)):
            assert (run, said) in spans or said.strip() != said


def test_base64_of_several_lines() -> None:
    """Wrapped, it goes with all of its lines; words behind it are none of it."""
    run = encodebytes((SAID * 9).encode()).decode().strip()
    assert "\n" in run
    clean = "it said\n[redacted:api-key]\nand ended"
    assert Redactor()(f"it said\n{run}\nand ended") == clean
    one = b64encode(SAID.encode()).decode()
    assert Redactor()(f"it said\n{one}\nand ended here") == f"{clean} here"
