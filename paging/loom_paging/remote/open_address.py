"""Opening an address of an object store: its objects, its tree of stores, its lease."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from loom_paging.errors import BadInput
from loom_paging.remote.address import ACCOUNTS, ParsedAddress, parse_address, without_options
from loom_paging.remote.bucket import Bucket, error_text
from loom_paging.remote.hashed import ObjectCache, cache_folder
from loom_paging.remote.lease import LONGEST, SECONDS, LeaseNote, running_lease
from loom_paging.remote.memory_objects import MemoryObjects
from loom_paging.remote.tree import RemoteTree
from loom_paging.store import Store
from loom_paging.sub_store import sub_store

_ENDPOINTS = (
    "AWS_ENDPOINT", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "AZURE_STORAGE_ENDPOINT",
    "AZURE_ENDPOINT",
)  # fmt: skip
_OPTIONS = re.compile(r"(?:[a-z]+=[0-9.]*)(?:&[a-z]+=[0-9.]*)*", re.ASCII)
_SECONDS = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,6})?", re.ASCII)
TIMEOUT = "20s"  # of one request
_memories: dict[str, MemoryObjects] = {}  # by the names in their addresses


def open_bucket(address: str) -> Bucket:
    """Return a Bucket for the objects at an address. Raises BadInput when obstore is not installed,
    or does not understand the address."""
    at = parse_address(address)
    if at.scheme == "memory":
        held = _memories.setdefault(at.bucket, MemoryObjects())
        return Bucket(held, at.place, f"{at.prefix}/" if at.prefix else "")
    try:
        from obstore.exceptions import BaseError
        from obstore.store import LocalStore, from_url
    except ImportError:
        raise BadInput(
            f"{at.place}: this needs obstore; pip install 'loom-window[distributed]'"
        ) from None
    _check_endpoint(at)
    try:
        if at.scheme == "file":
            return Bucket(LocalStore(Path(f"/{at.prefix}"), mkdir=True), at.place)
        options: Any = {"timeout": TIMEOUT, "allow_http": True}
        # Bucket tries again itself, and knows what it asked for before.
        client = from_url(
            f"{at.scheme}://{at.bucket}", client_options=options, retry_config={"max_retries": 0}
        )
    except (BaseError, ValueError, OSError) as error:
        nameless = at.scheme in ("az", *ACCOUNTS) and "Account" in str(error)
        hint = "; set AZURE_STORAGE_ACCOUNT_NAME" if nameless else ""
        raise BadInput(f"{at.place}: {error_text(error)}{hint}") from None
    return Bucket(client, at.place, f"{at.prefix}/" if at.prefix else "")


def _check_endpoint(at: ParsedAddress) -> None:
    """Raise BadInput when the environment names an endpoint that is not the URL of a server."""
    for name in _ENDPOINTS:
        value = os.environ.get(name, "")
        if not value or at.scheme in ("file", "gs"):
            continue
        if not value.startswith(("http://", "https://")) or "@" in value:
            raise BadInput(
                f"{at.place}: {name} has to be an address such as http://127.0.0.1:9000, without a"
                " user and a password in it"
            )


def open_tree(address: str, *, write: bool, salvage: bool = False) -> Store:
    """Return the store of the workspace at an address. The address of a child agent ends in
    `/agents/NAME`: its store is a part of the topmost agent's store.

    Options follow a question mark. `take=1` takes the store over from a writer whose lease still
    runs. `lease=10` sets the length of this writer's lease in seconds. `cache=0` keeps no copies on
    this machine. With `salvage` the undamaged part of a damaged log is used. Raises BadInput, and
    the errors of RemoteTree."""
    at = parse_address(address)
    root, *below = without_options(address).split("/agents/")
    options = _store_options(at) | {"salvage": salvage}
    bucket = open_bucket(root)
    if not below:
        return RemoteTree(bucket, write=write, **options)
    store: Store = RemoteTree(bucket, write=False, **options)
    for name in below:
        store = sub_store(store, f"agents/{name}")
    return store


def _store_options(at: ParsedAddress) -> dict[str, Any]:
    """Return the options in an address as keyword arguments of RemoteStore. Raises BadInput for an
    unknown option or value."""
    given = dict(parse_qsl(at.options, keep_blank_values=True))
    take, cached = given.pop("take", "0"), given.pop("cache", "1")
    lease = given.pop("lease", f"{SECONDS:.0f}")
    if given or (at.options and not _OPTIONS.fullmatch(at.options)):
        raise BadInput(
            f"{at.place}: after ? there may be take=1, lease=SECONDS and cache=0, and nothing else"
        )
    if {take, cached} - {"0", "1"}:
        raise BadInput(f"{at.place}: take= and cache= are 0 or 1")
    if not _SECONDS.fullmatch(lease) or not 1 <= float(lease) <= LONGEST:
        raise BadInput(f"{at.place}: lease= is 1 to {LONGEST:,.0f} seconds")
    keeps = cached == "1" and at.scheme != "memory"  # of which nothing outlives the process
    cache = ObjectCache(cache_folder()) if keeps else None
    return {"take": take == "1", "lease": float(lease), "cache": cache}


def running_lease_at(address: str) -> LeaseNote | None:
    """Return the lease that has not ended at an address, None when nobody holds the store."""
    return running_lease(open_bucket(address))
