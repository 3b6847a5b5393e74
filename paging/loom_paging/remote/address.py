"""Addresses of object stores: `s3://bucket/prefix`, `gs://…`, `az://…`, `file:///folder`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from loom_paging.remote.bucket import Bucket
from loom_paging.remote.errors import NoObjectStore
from loom_paging.remote.lease import SECONDS, holder_of
from loom_paging.remote.object_cache import ObjectCache, cache_folder
from loom_paging.remote.tree import RemoteTree
from loom_paging.store import Store
from loom_paging.under import Under

SCHEMES = ("s3", "s3a", "gs", "az", "azure", "abfs", "abfss", "adl", "file", "memory")
_ADDRESS = re.compile(rf"(?:{'|'.join(SCHEMES)})://")
TIMEOUT = "20s"  # of one request


def is_address(path: object) -> bool:
    """True for a text that names a place on an object store."""
    return isinstance(path, str) and _ADDRESS.match(path) is not None


def bucket_of(address: str) -> Bucket:
    """The objects below an address. Credentials come from the environment, as obstore takes them.

    Raises NoObjectStore where obstore is not installed, or does not understand the address.
    """
    try:
        from obstore.exceptions import BaseError
        from obstore.store import LocalStore, from_url
    except ImportError:
        raise NoObjectStore(
            f"{_shown(address)}: this needs obstore; pip install 'loom-window[distributed]'"
        ) from None
    try:
        if address.startswith("file://"):
            folder = Path(unquote(urlsplit(address).path))
            return Bucket(LocalStore(folder, mkdir=True), _shown(address))
        options: Any = {"timeout": TIMEOUT, "allow_http": True}
        # Bucket tries again itself, and knows what it asked for before.
        client = from_url(address, client_options=options, retry_config={"max_retries": 0})
    except (BaseError, ValueError, OSError) as error:
        why = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise NoObjectStore(f"{_shown(address)}: {why}") from error
    return Bucket(client, _shown(address))


def tree_at(address: str, *, write: bool, salvage: bool = False) -> Store:
    """The store of the workspace at an address. An agent below another one is opened within the
    store of the first of them, whose bus it hears.

    After a question mark: `take=1` takes it over from a writer whose lease still runs, `lease=10`
    is how many seconds the lease of this one runs, `cache=0` keeps nothing on this machine. With
    `salvage` a damaged log counts as far as it stands. Raises NoObjectStore, and as RemoteTree.
    """
    place, _, asked = address.partition("?")
    root, *below = place.rstrip("/").split("/agents/")
    options = _options(address, asked) | {"salvage": salvage}
    bucket = bucket_of(root)
    if not below:
        return RemoteTree(bucket, write=write, **options)
    store: Store = RemoteTree(bucket, write=False, **options)
    for name in below:
        store = Under(store, f"agents/{name}")
    return store


def _options(address: str, asked: str) -> dict[str, Any]:
    """What an address says behind its place. Raises NoObjectStore for anything else."""
    given = dict(parse_qsl(asked, keep_blank_values=True))
    take, cached = given.pop("take", "0"), given.pop("cache", "1")
    lease = given.pop("lease", str(SECONDS))
    if given or {take, cached} - {"0", "1"} or not lease.replace(".", "", 1).isdigit():
        raise NoObjectStore(
            f"{_shown(address)}: after ? there may be take=1, lease=SECONDS and cache=0"
        )
    cache = ObjectCache(cache_folder()) if cached == "1" else None
    return {"take": take == "1", "lease": max(float(lease), 1.0), "cache": cache}


def process_at(address: str) -> int | None:
    """The process that writes at an address, as its lease tells; None where none runs."""
    held = holder_of(bucket_of(address.partition("?")[0]))
    number = held.holder.split()[1:2] if held is not None else []
    return int(number[0]) if number and number[0].isdigit() else None


def is_remote(store: object) -> bool:
    """True for a store on an object store, and for a folder within one."""
    while isinstance(store, Under):
        store = store.store
    return isinstance(store, RemoteTree)


def _shown(address: str) -> str:
    """An address as messages may say it: without a name and a password in it."""
    return re.sub(r"//[^/@]*@", "//", address)
