"""Archives of inspect, packed as its releases pack them."""

import json
import zlib
from collections.abc import Callable
from pathlib import Path
from struct import pack
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from loom.replay.importers import BadSession, load

SAMPLE = Path(__file__).parent / "samples" / "inspect.json"
ZSTANDARD = 93


def members() -> dict[str, bytes]:
    """The members of an archive with the sample's log."""
    log = json.loads(SAMPLE.read_bytes())
    samples = log.pop("samples")
    named = {f"samples/{one['id']}_epoch_1.json": one for one in samples}
    whole = {"header.json": log, **named}
    return {name: json.dumps(value).encode() for name, value in whole.items()}


def zipped(packed: dict[str, tuple[bytes, bytes]], method: int) -> bytes:
    """A zip file of members, each as (packed, plain)."""
    body, central = b"", b""
    for name, (data, plain) in packed.items():
        told = pack("<HHHHHIIIHH", 20, 0, method, 0, 33, zlib.crc32(plain), len(data), len(plain),
                    len(name), 0)  # fmt: skip
        central += b"PK\x01\x02" + pack("<H", 20) + told
        central += pack("<HHHII", 0, 0, 0, 0, len(body)) + name.encode()
        body += b"PK\x03\x04" + told + name.encode() + data
    many = len(packed)
    end = pack("<HHHHIIH", 0, 0, many, many, len(central), len(body), 0)
    return body + central + b"PK\x05\x06" + end


@pytest.fixture
def archive(tmp_path: Path) -> Callable[[bytes], Path]:
    """Return a function that writes bytes as an archive."""

    def write(data: bytes) -> Path:
        (tmp_path / "log.eval").write_bytes(data)
        return tmp_path / "log.eval"

    return write


def test_deflated(tmp_path: Path) -> None:
    """An archive of older releases reads as its JSON form does; a NaN in it harms nothing."""
    path = tmp_path / "log.eval"
    with ZipFile(path, "w", ZIP_DEFLATED) as made:
        for name, data in members().items():
            made.writestr(name, data.replace(b'"store": {}', b'"store": {"mean": NaN}'))
    assert [one.events for one in load(path)] == [one.events for one in load(SAMPLE)]


def test_zstandard(archive: Callable[[bytes], Path]) -> None:
    """So does one of today's, and a member whose bytes differ is found out."""
    zstandard = pytest.importorskip("zstandard")
    packed = {name: (zstandard.compress(data), data) for name, data in members().items()}
    data = zipped(packed, ZSTANDARD)
    path = archive(data)
    assert [one.events for one in load(path)] == [one.events for one in load(SAMPLE)]
    name = "header.json"
    wrong = {**packed, name: (zstandard.compress(b"{}" + members()[name]), members()[name])}
    with pytest.raises(BadSession, match="damaged archive"):
        load(archive(zipped(wrong, ZSTANDARD)))


@pytest.mark.parametrize("cut", [4, 30, 200, -30])
def test_damaged(archive: Callable[[bytes], Path], cut: int) -> None:
    """An archive that was cut off is refused, and names what is wrong; any other is no log."""
    whole = zipped({name: (data, data) for name, data in members().items()}, 0)
    with pytest.raises(BadSession, match="archive"):
        load(archive(whole[:cut]))
    with pytest.raises(BadSession, match="no log of inspect"):
        load(archive(zipped({"a.txt": (b"a", b"a")}, 0)))
