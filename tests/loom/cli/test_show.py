import io
import json

import pytest

from loom.cli.show import bar, emit, line


def test_a_stream_without_the_signs_gets_ascii(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines and JSON are written to an ASCII stream without an error, and lose no meaning."""
    raw = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(raw, encoding="ascii"))
    line("ρ 0.83 → é " + bar(0.5, 2))
    emit({"ρ": "→\ud800"})
    import sys

    sys.stdout.flush()
    first, _, rest = raw.getvalue().decode("ascii").partition("\n")
    assert first == "rho 0.83 -> ? #."
    assert json.loads(rest) == {"ρ": "→\ud800"}
