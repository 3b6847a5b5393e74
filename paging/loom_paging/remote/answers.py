"""The error of a request to an object store: refused for good, or not answered yet."""

from __future__ import annotations

import re

from loom_paging.errors import StoreUnreachable

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


def failure(
    place: str, doing: str, error: BaseException, *, final: bool, answered: bool
) -> StoreUnreachable:
    """The error that is raised for another one, with a hint where trying again does not help.

    `final` says that the client's own class tells so; `answered` that the store has answered this
    process before, so that a machine's role which cannot be asked just now is a fault that passes.
    """
    text = str(error)
    why = said(error)
    for mark, hint in HINTS.items():
        if mark in text and not (answered and mark in NO_MACHINE):
            return StoreUnreachable(place, doing, why, hint)
    if final:
        return StoreUnreachable(place, doing, why, RIGHTS)
    return StoreUnreachable(place, doing, why)


def said(error: BaseException) -> str:
    """Return the text of an error without the client's debug output and without passwords."""
    text = str(error).strip() or type(error).__name__
    first = _PASSWORDS.sub("//", text.splitlines()[0]).partition("<?xml")[0].rstrip(" :")
    told = [found[1] for find in (_CODE, _MESSAGE) if (found := find.search(text))]
    return f"{first[:LONGEST]} ({': '.join(told)})" if told else first[:LONGEST]
