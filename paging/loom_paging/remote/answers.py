"""Errors of requests to an object store: refused for good, or not answered yet."""

from __future__ import annotations

import re
from collections.abc import Callable

from loom_paging.errors import PagingError

LONGEST = 300  # characters that are told
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
NO_MACHINE = ("169.254.169.254", "metadata.google")


class StoreUnreachable(PagingError):
    """The object store at `place` did not answer in time, or refused; `why` says what it said.

    What was to be written may have arrived or not: the next write finds out, and doubles nothing.
    """

    def __init__(self, place: str, doing: str, why: str) -> None:
        self.place, self.doing, self.why = place, doing, why
        super().__init__(
            f"{place}: cannot {doing}: {why}; nothing is lost here: try the call again, or open the"
            " workspace again once the store answers"
        )

    def __reduce__(self) -> tuple[Callable[..., Exception], tuple[object, ...]]:
        return type(self), (self.place, self.doing, self.why)


class StoreRefused(PagingError):
    """The object store at `place` refused what was asked of it, and will again; `why` says what it
    said. What was to be written is not there.
    """

    def __init__(self, place: str, doing: str, why: str, hint: str) -> None:
        self.place, self.doing, self.why, self.hint = place, doing, why, hint
        super().__init__(
            f"{place}: cannot {doing}: {why}; {hint}: nothing is lost here, but trying again does"
            " not help until that is mended"
        )

    def __reduce__(self) -> tuple[Callable[..., Exception], tuple[object, ...]]:
        return type(self), (self.place, self.doing, self.why, self.hint)


def failure(
    place: str, doing: str, error: BaseException, *, final: bool, answered: bool
) -> StoreRefused | StoreUnreachable:
    """The error that is raised for another one; StoreRefused where trying again does not help.

    `final` says that the client's own class tells so; `answered` that the store has answered this
    process before, so that a machine's role which cannot be asked just now is a fault that passes.
    """
    text = str(error)
    why = said(error)
    for mark, hint in HINTS.items():
        if mark in text and not (answered and mark in NO_MACHINE):
            return StoreRefused(place, doing, why, hint)
    if final:
        return StoreRefused(place, doing, why, RIGHTS)
    return StoreUnreachable(place, doing, why)


def said(error: BaseException) -> str:
    """Return the text of an error without the client's debug output and without passwords."""
    text = str(error).strip() or type(error).__name__
    first = _PASSWORDS.sub("//", text.splitlines()[0]).partition("<?xml")[0].rstrip(" :")
    told = [found[1] for find in (_CODE, _MESSAGE) if (found := find.search(text))]
    return f"{first[:LONGEST]} ({': '.join(told)})" if told else first[:LONGEST]
