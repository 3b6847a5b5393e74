"""Addresses of object stores: `s3://bucket/prefix`, `gs://…`, `az://…`, `file:///folder`, and
`memory://name`, a store that lives as long as the process."""

from __future__ import annotations

import re
from urllib.parse import unquote

from msgspec import Struct

from loom_paging.errors import BadInput

SCHEMES = ("s3", "s3a", "gs", "az", "azure", "abfs", "abfss", "adl", "file", "memory")
ACCOUNTS = ("azure", "abfs", "abfss", "adl")  # schemes that name an account behind an @
_ADDRESS = re.compile(rf"(?:{'|'.join(SCHEMES)})://")
# What was meant to be one: a word of two letters at least (one is a drive), a colon and a slash; or
# a scheme with another sign behind it, a quote before it, a letter that is not seen.
_LIKE = re.compile(
    r"\s*[A-Za-z][A-Za-z0-9+.-]+:/|.{0,80}://|"
    rf"\W{{0,8}}(?:arn|minio|r2|{'|'.join(SCHEMES)})\s*(?:[:;]|//)",
    re.IGNORECASE | re.DOTALL,
)


class ParsedAddress(Struct, frozen=True):
    """The parts of an address: its scheme (`s3`), its bucket, the path in the bucket (`prefix`),
    and the text after `?` (`options`)."""

    scheme: str
    bucket: str
    prefix: str
    options: str = ""

    @property
    def place(self) -> str:
        """The address without its options: `s3://bucket/prefix`."""
        return f"{self.scheme}://{self.bucket}" + (f"/{self.prefix}" if self.prefix else "")


def is_address(path: object) -> bool:
    """Return True for a text with the form of an address on an object store, such as `s3://bucket`."""
    return isinstance(path, str) and _ADDRESS.match(path) is not None


def is_valid_address(path: object) -> bool:
    """Return True for the address of an object store, False for the path of a folder. Raises
    BadInput for a text that looks like a misspelled address."""
    if isinstance(path, str) and not is_address(path) and _LIKE.match(path):
        known = ", ".join(f"{one}://" for one in ("s3", "gs", "az", "file"))
        raise BadInput(
            f"{_safe_beginning(path)!r} begins no address of a store, which begins with {known};"
            " a folder of that name is given as ./NAME, or as a Path"
        )
    return is_address(path)


def without_options(address: str) -> str:
    """Return an address without its options (`?take=1`) and without a slash at its end."""
    return address.partition("?")[0].rstrip("/")


def parse_address(address: str) -> ParsedAddress:
    """Return the parts of an address. Raises BadInput when it has no bucket or path, or a part such
    as `//` or `..`. Only `file:///a%20b` is decoded."""
    scheme, _, rest = address.partition("://")
    whole, _, options = rest.partition("?")
    bucket, _, prefix = whole.partition("/")
    prefix = prefix.rstrip("/")
    if scheme == "file":
        if bucket not in ("", "localhost") or not prefix:
            raise BadInput(
                "file://…: an address of a folder has three slashes, and a folder:"
                " file:///srv/agents"
            )
        prefix, bucket = unquote(prefix), ""
    elif ":" in bucket or ("@" in bucket and scheme not in ACCOUNTS):
        raise BadInput(
            f"{scheme}://…: an address names a bucket, and no user, password or port: credentials"
            " and endpoint come from the environment"
        )
    elif not bucket and scheme != "memory":
        given = _safe_beginning(address)
        raise BadInput(f"{given}: it names no place: s3://bucket/prefix, or memory://name, does")
    parts = prefix.split("/") if prefix else []
    if {"", ".", ".."} & {*parts} or not prefix.isprintable():
        raise BadInput(
            f"{f'{scheme}://{bucket}/…'!r}: '.', '..', '//' and what cannot be printed are no part"
            " of an address: name the place itself"
        )
    return ParsedAddress(scheme, bucket, prefix, options)


def _safe_beginning(text: str) -> str:
    """Return the first characters of a text, too few to show a name or password."""
    return re.split(r"[:;/]", text.strip(), maxsplit=1)[0][:20] + ":…"
