"""Addresses of stores, and what a store answers."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from loom.errors import BadInput
from loom_paging import StoreUnreachable
from loom_paging.remote import bucket as buckets
from loom_paging.remote.address import is_valid_address, parse_address
from loom_paging.remote.bucket import Bucket, error_text
from loom_paging.remote.open_address import open_bucket, open_tree
from tests.kit.cases import all_cases


@all_cases(
    "text",
    ["s3:/bucket/x", "S3://bucket/x", "minio://b/x", "https://b.s3.amazonaws.com/x", "r2://b/x",
     "FILE:///srv/x", " s3://b/x", "s4://b/x", "file:/srv/x", "s3:b/x", "S3:b", "s3//b/x",
     "'s3://b/x'", "\ufeffs3://b/x", "<s3://b/x>", "s3 ://b/x", "arn:aws:s3:::b/x", "./s3://b/x"],
)  # fmt: skip
def test_what_was_meant_for_an_address_is_no_folder(text: str) -> None:
    """It would be one on this machine alone, without a word."""
    with pytest.raises(BadInput, match=r"begins with s3://, gs://, az://, file://"):
        is_valid_address(text)


@all_cases(
    ("address", "why"),
    [
        ("s3://", "names no place"),
        ("s3:///x", "names no place"),
        ("s3://b/a/../c", "are no part of an address"),
        ("s3://b/./c", "are no part of an address"),
        ("s3://b//c", "are no part of an address"),
        ("s3://b/a\0b", "are no part of an address"),
        ("s3://b/a\x1b[2Jb", "are no part of an address"),
        ("file://", "three slashes"),
        ("file:///", "three slashes"),
        ("file://host/tmp", "three slashes"),
        ("file:///srv/%2e%2e/x", "are no part of an address"),
    ],
)
def test_what_names_no_place_is_refused(address: str, why: str) -> None:
    """With the address, in one line that a terminal can show."""
    with pytest.raises(BadInput, match=why) as raised:
        parse_address(address)
    assert str(raised.value).isprintable()


@all_cases(
    "address",
    ["s3://user:hunter2x@b/x", "s3://user:hunter/2x@b/x", "s3://hunter2x@b/x", "gs://u:hunter2x@b/x",
     "s3:///k:hunter2x@b/x", "s3://?a=hunter2x", "s3:///p?secret=hunter2x", "s3:/k:hunter2x@b/x",
     "https:/u:hunter2x@h/x", "https://u:hunter2x x@h", "file://u:hunter2x x@h",
     "s3://b/..//u:hunter2x@x", "s3://b/https://u:hunter2x@h", "file:///?a=hunter2x",
     "s3://b/x?sig=hunter2x", "az://c/x?sv=2020&sig=hunter2x", "s3://b/x?lease=hunter2x"],
)  # fmt: skip
def test_what_may_be_a_credential_is_not_told(address: str) -> None:
    """In no error; and none of them is an address."""
    with pytest.raises(BadInput) as raised:
        if is_valid_address(address):
            open_tree(address, write=False)
    said = str(raised.value) + repr(raised.value.__cause__) + repr(raised.value.__context__)
    assert "hunter" not in said and "2x" not in said


@all_cases(
    ("options", "why"),
    [
        ("take=yes", "and nothing else"),
        ("take=2", "take= and cache= are 0 or 1"),
        ("cache=", "take= and cache= are 0 or 1"),
        ("tak=1", "and nothing else"),
        ("lease=abc", "and nothing else"),
        ("lease=0", "lease= is 1 to 86,400 seconds"),
        ("lease=0.01", "lease= is 1 to 86,400 seconds"),
        ("lease=99999999999", "lease= is 1 to 86,400 seconds"),
        ("lease=²", "and nothing else"),
        ("lease=1.2.3", "lease= is 1 to 86,400 seconds"),
    ],
)
def test_options_are_as_they_are_told(tmp_path: Path, options: str, why: str) -> None:
    """Each by what is wrong with it; nothing is made."""
    with pytest.raises(BadInput, match=why):
        open_tree(f"file://{tmp_path}/there?{options}", write=True)
    assert not (tmp_path / "there").exists()


@pytest.mark.parametrize("endpoint", ["127.0.0.1:9000", "http://u:hunter2x@127.0.0.1:1", "ftp://x"])
def test_an_endpoint_is_an_address_of_a_server(
    monkeypatch: pytest.MonkeyPatch, endpoint: str
) -> None:
    """Told by the name of its variable; a password in it is not told."""
    monkeypatch.setenv("AWS_ENDPOINT", endpoint)
    with pytest.raises(BadInput, match="AWS_ENDPOINT has to be an address such as") as raised:
        open_bucket("s3://b/x")
    assert "hunter2x" not in str(raised.value)
    assert open_bucket("file:///tmp").place == "file:///tmp"


def test_a_store_of_this_process() -> None:
    """It is found again by its name, apart from others."""
    assert open_bucket("memory://one/a").create("own", b"a")
    assert open_bucket("memory://one/a").read("own") == b"a"
    assert open_bucket("memory://one").folders("") == ["a"]
    assert not open_bucket("memory://two/a").has("own")


class PanicException(BaseException):
    """As obstore raises it."""


@pytest.fixture
def raising(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Make a bucket whose calls raise one error after the other, and then work."""
    obstore = pytest.importorskip("obstore")
    monkeypatch.setattr(buckets, "FIRST", 0.001)
    monkeypatch.setattr(buckets, "LONGEST", 0.002)

    def made(*errors: BaseException) -> tuple[Bucket, list[str]]:
        left, calls = list(errors), list[str]()
        bucket = Bucket(obstore.store.MemoryStore(), "s3://here")
        for name in ("put", "get", "list"):
            real = getattr(obstore, name)

            def call(*given: Any, real: Any = real, name: str = name, **more: Any) -> Any:
                calls.append(name)
                if left:
                    raise left.pop(0)
                return real(*given, **more)

            monkeypatch.setattr(obstore, name, call)
        return bucket, calls

    return made


def test_the_code_of_a_refusal_is_told() -> None:
    """It stands behind the first line of what the client says."""
    error = Exception(
        "403: <?xml version?>\n<Code>AccessDenied</Code><Message>Not you</Message>\nx"
    )
    assert error_text(error) == "403 (AccessDenied: Not you)"


def test_a_fault_of_the_client_is_an_error_of_loom(raising: Any) -> None:
    """Even one that is no Exception; Ctrl-C is none of them."""
    bucket, _ = raising(PanicException("InvalidUri"))
    with pytest.raises(StoreUnreachable, match="InvalidUri"):
        bucket.read("key")
    bucket, _ = raising(KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        bucket.read("key")


def test_a_put_refused_for_one_beside_it_is_made_again(raising: Any) -> None:
    """409 or 412 while there is no object: the other put came to nothing."""
    exceptions = pytest.importorskip("obstore.exceptions")
    bucket, calls = raising(exceptions.AlreadyExistsError("409 ConditionalRequestConflict"))
    assert bucket.create("key", b"data")
    assert calls == ["put", "get", "put"] and bucket.read("key") == b"data"
    bucket, calls = raising(*[exceptions.AlreadyExistsError("412")] * 100)
    bucket.remove(["key"])


def test_no_password_is_told() -> None:
    """Nor the client's own error beside it."""
    error = Exception("GET http://user:SECRET@proxy:3128/: refused\nDebug SECRET")
    assert "SECRET" not in error_text(error) and "http://proxy:3128" in error_text(error)
