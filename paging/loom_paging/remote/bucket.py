"""The objects below one prefix: put if absent, read, list, remove. Transient errors are retried.

Only this module knows obstore. Keys are ASCII. The client holds the credentials."""

from __future__ import annotations

import logging
import os
import random
import re
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

from msgspec import Struct

from loom_paging.errors import BadInput, StoreUnreachable, forked_error
from loom_paging.remote.memory_objects import MemoryObjects

TRIES = 8  # of one operation
FIRST, LONGEST = 0.05, 5.0  # seconds: the first wait between two tries at most, and every other
PATIENCE = 60.0  # seconds for one operation, its tries and waits together

LOG = logging.getLogger("loom.store")
PANIC = "PanicException"  # what a fault within obstore is raised as; it is no Exception

MOST_TOLD = 300  # characters that are told
# Names and passwords in an address, of a proxy for one.
_PASSWORDS = re.compile(r"//[^\s/@]*@")
_CODE = re.compile(r"<Code>([^<]{1,80})</Code>")
_MESSAGE = re.compile(r"<Message>([^<]{1,200})</Message>")
CREDENTIALS = (
    "no credentials were found: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (for gs://"
    " GOOGLE_APPLICATION_CREDENTIALS, for az:// AZURE_STORAGE_ACCOUNT_NAME and"
    " AZURE_STORAGE_ACCOUNT_KEY), or give the machine a role"
)
RIGHTS = "the credentials have to be right, and allow to read, list, put and delete there"
# What stands in a refusal → what to do about it; the first that is found.
HINTS = {
    "169.254.169.254": CREDENTIALS,
    "metadata.google": CREDENTIALS,
    "NoSuchBucket": "there has to be such a bucket",
    "ContainerNotFound": "there has to be such a container",
    "404 Not Found": "there has to be such a bucket",
    "RequestTimeTooSkewed": "the clock of this machine has to be right",
    "ExpiredToken": "the credentials have expired: renew them",
    "InvalidAccessKeyId": RIGHTS,
    "SignatureDoesNotMatch": RIGHTS,
    "AccessDenied": RIGHTS,
    "403 Forbidden": RIGHTS,
    "401 Unauthorized": RIGHTS,
}

Made = TypeVar("Made")
_process = 0  # the first of this process's ancestors, or itself, that has used obstore


class ListedObject(Struct, frozen=True):
    """An object in a listing: key, size in bytes, time of the last change in seconds since 1970."""

    key: str
    size: int
    modified: float


class Bucket:
    """The objects of an object store whose keys begin with `prefix`, reached through an obstore
    client. `puts` and `gets` count the requests that were answered.

    `place` is the address without credentials, for messages. `tries` is how often a failing request
    is tried. Any thread may use a Bucket, but only in the process that made it."""

    def __init__(self, client: Any, place: str, prefix: str = "", tries: int = TRIES) -> None:
        global _process
        self._process = os.getpid()
        # obstore's threads do not exist in a forked process: a call there would wait for ever.
        _process = _process or self._process
        if _process != self._process:
            raise BadInput(
                f"{place}: this process was forked from one that has used an object store, and that"
                " does not work after a fork: start it anew (multiprocessing's 'spawn')"
            )
        self.place = place
        self.client = client
        self._tries = tries
        self._prefix = prefix  # of every key, "" or with a slash at its end
        self.puts = self.gets = 0
        if isinstance(client, MemoryObjects):
            self._objects: Any = MemoryObjects
            self._taken: type[Exception] = FileExistsError
            self._missing: tuple[type[Exception], ...] = (FileNotFoundError,)
            self._final: tuple[type[Exception], ...] = ()
            return
        import obstore
        from obstore import exceptions

        self._objects = obstore
        self._taken = exceptions.AlreadyExistsError
        # LocalStore raises Python's own for a key that is not there.
        self._missing = (exceptions.NotFoundError, FileNotFoundError)
        self._final = (
            exceptions.PermissionDeniedError,
            exceptions.UnauthenticatedError,
            exceptions.NotSupportedError,
            exceptions.InvalidPathError,
            exceptions.UnknownConfigurationKeyError,
        )

    def below(self, folder: str) -> Bucket:
        """Return a Bucket for the objects below a folder of this one."""
        below = f"{self._prefix}{folder}/"
        return Bucket(self.client, f"{self.place}/{folder}", below, self._tries)

    def hasty(self, tries: int) -> Bucket:
        """Return a Bucket for the same objects that tries each request at most `tries` times."""
        return Bucket(self.client, self.place, self._prefix, tries)

    def create(self, key: str, data: bytes) -> bool:
        """Put an object under a free key. Return False when the key holds other bytes, True
        otherwise."""

        def put() -> bool:
            try:
                self._objects.put(self.client, self._prefix + key, data, mode="create")
            except self._taken:
                return False
            return True

        for _ in range(self._tries):
            done = self._try(f"put {key}", put)
            self.puts += 1
            try:
                # Equal bytes: an earlier try wrote them, but its answer was lost.
                return done or self.read(key) == data
            except KeyError:  # it was refused for a put beside it, which came to nothing
                time.sleep(random.uniform(0, FIRST))
        why = "it is said to be there, and cannot be read"
        raise StoreUnreachable(self.place, f"put {key}", why)

    def replace(self, key: str, data: bytes) -> None:
        """Put an object, or replace the object that has the key."""
        self._try(f"put {key}", lambda: self._objects.put(self.client, self._prefix + key, data))
        self.puts += 1

    def read(self, key: str) -> bytes:
        """Return the bytes of an object. Raises KeyError when there is none."""
        get = self._objects.get
        return self._get(key, lambda: bytes(get(self.client, self._prefix + key).bytes()))

    def keys(self, folder: str, after: str = "") -> list[str]:
        """Return the keys below a folder that come after `after`, sorted."""
        return [one.key for one in self.listed(folder, after)]

    def listed(self, folder: str, after: str = "") -> list[ListedObject]:
        """Return the objects below a folder whose keys come after `after`, sorted by key."""
        skipped = len(self._prefix)
        offset = {"offset": self._prefix + after} if after else {}

        def listed() -> list[ListedObject]:
            chunks = self._objects.list(self.client, prefix=self._prefix + folder, **offset)
            return [
                ListedObject(
                    str(one["path"])[skipped:], one["size"], one["last_modified"].timestamp()
                )
                for chunk in chunks
                for one in chunk
            ]

        found = self._ask(f"list {folder}", listed)
        return sorted((one for one in found if one.key > after), key=lambda one: one.key)

    def folders(self, folder: str) -> list[str]:
        """Return the names of the folders directly below a folder, sorted."""
        return self._names_directly_below(folder, objects=False)

    def entries(self) -> list[str]:
        """Return the last parts of all names directly below the prefix (folders and objects),
        sorted."""
        return self._names_directly_below("", objects=True)

    def _names_directly_below(self, folder: str, *, objects: bool) -> list[str]:
        prefix = self._prefix + folder or None

        def listed() -> list[str]:
            found = self._objects.list_with_delimiter(self.client, prefix=prefix)
            paths = [*found["common_prefixes"]]
            paths += [one["path"] for one in found["objects"] if objects]
            return sorted(str(one).rstrip("/").rpartition("/")[2] for one in paths)

        return self._ask(f"list {folder or 'what is there'}", listed)

    def has(self, key: str) -> bool:
        """Return True when there is an object under a key."""
        try:
            self._get(key, lambda: bool(self._objects.head(self.client, self._prefix + key)))
        except KeyError:
            return False
        return True

    def size(self, key: str) -> int:
        """Return the number of bytes of an object. Raises KeyError when there is none."""
        head = self._objects.head
        return self._get(key, lambda: int(head(self.client, self._prefix + key)["size"]))

    def remove(self, keys: Iterable[str]) -> None:
        """Remove objects; a key without an object is ignored."""
        for key in keys:
            delete = partial(self._objects.delete, self.client, self._prefix + key)
            with suppress(KeyError):
                self._get(key, delete)

    def _get(self, key: str, call: Callable[[], Made]) -> Made:
        """Call `call`, which reads the object `key`, and return the result. Raises KeyError for no
        object."""

        def get() -> Made:
            try:
                return call()
            except self._missing as error:
                raise KeyError(key) from error

        return self._ask(f"read {key}", get)

    def _ask(self, doing: str, call: Callable[[], Made]) -> Made:
        """Make a request by calling `call`, again if it fails, and return the result. `doing` names
        the request in messages."""
        made = self._try(doing, call)
        self.gets += 1
        return made

    def _try(self, doing: str, call: Callable[[], Made]) -> Made:
        """Call `call` until it is answered, at most `tries` times, and return its result. Raises
        StoreUnreachable after the last try, and StoreReplaced in a forked process. `doing` names
        the request in messages."""
        if os.getpid() != self._process:
            raise forked_error(self.place, self._process)
        began, wait, left = time.monotonic(), FIRST, self._tries
        while True:
            left -= 1
            try:
                return call()
            except KeyError:
                raise
            except BaseException as error:
                if not isinstance(error, Exception) and type(error).__name__ != PANIC:
                    raise
                failed = self._unreachable_error(doing, error)
                over = not left or time.monotonic() - began > PATIENCE
                if over or failed.hint:
                    raise failed from None  # the client's own text may have a password in it
            LOG.info("%s: cannot %s yet: %s; trying again", self.place, doing, failed.why)
            # Random, so that writers that failed together do not return together.
            time.sleep(random.uniform(0, wait))
            wait = min(2 * wait, LONGEST)

    def _unreachable_error(self, doing: str, error: BaseException) -> StoreUnreachable:
        """Return the StoreUnreachable for an error of the client, with a hint when trying again
        does not help."""
        text, answered = str(error), self.puts + self.gets > 0
        for mark, hint in HINTS.items():
            # Credentials that an answer proved were there before, and may come back.
            if mark in text and not (answered and hint == CREDENTIALS):
                return StoreUnreachable(self.place, doing, error_text(error), hint)
        final = isinstance(error, self._final) or type(error).__name__ == PANIC
        return StoreUnreachable(self.place, doing, error_text(error), RIGHTS if final else "")


def error_text(error: BaseException) -> str:
    """Return an error of obstore as one line, without its debug output and without passwords."""
    text = str(error).strip() or type(error).__name__
    first = _PASSWORDS.sub("//", text.splitlines()[0]).partition("<?xml")[0].rstrip(" :")
    told = [found[1] for find in (_CODE, _MESSAGE) if (found := find.search(text))]
    return f"{first[:MOST_TOLD]} ({': '.join(told)})" if told else first[:MOST_TOLD]
