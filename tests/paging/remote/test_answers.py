"""What a store answers: refusals are told from what passes, by what has to be mended."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from loom_paging.remote import bucket as buckets
from loom_paging.remote.answers import StoreRefused, failure
from loom_paging.remote.bucket import Bucket


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
        held = obstore.store.MemoryStore()
        bucket = Bucket(held, "s3://here")
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
    assert (
        failure("p", "d", error, final=False, answered=False).why == "403 (AccessDenied: Not you)"
    )


def test_a_fault_of_the_client_is_an_error_of_loom(raising: Any) -> None:
    """Even one that is no Exception; Ctrl-C is none of them."""
    bucket, _ = raising(PanicException("InvalidUri"))
    with pytest.raises(StoreRefused, match="InvalidUri"):
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
    failed = failure("s3://b", "list", error, final=False, answered=False)
    assert "SECRET" not in str(failed) and "http://proxy:3128" in str(failed)
