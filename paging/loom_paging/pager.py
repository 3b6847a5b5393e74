"""The pager: puts removed text on pages, and brings it back.

Theory of operation. The page table maps names to `PageRef`s. It is not stored:
the journal names every page, and `register` rebuilds the table from there. A file that a crash left
in the store, which no journal line names, is no page; only its number is remembered, so that it is
never given out again.

Numbers. One counter runs over all pages: `outputs/read_0007.json` is the seventh page, whatever its
kind. The counter starts after the highest number in the table and in the store. A put that failed
may have left its file: a later put of the same bytes takes that file and its name, a put of other
bytes skips the number.

Equal bytes. A page with the sha256 of an earlier page becomes a second link of the same file, with
`PageRef.alias` naming the first. The earlier bytes are read and verified before they are trusted:
linking to a damaged file would lose the good copy in hand.

Retired pages keep their name in the table, so that no other page gets it, and nothing else: reading
one raises Expired, and equal bytes put later are neither linked to its file nor read from it. Bytes
that it shares with a page that is not retired are read under that page's name as before.

Reading. Verified pages stay in the resident set, keyed by sha256 so that aliases share an entry: as
bytes until the text of one is asked for, and as text from then on. All bytes read from the store
are verified first; a page that is missing or damaged is looked for under every other name of the
same bytes before the error is raised."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from difflib import get_close_matches
from types import MappingProxyType

from loom_paging.errors import (
    BadInput,
    CorruptPage,
    Expired,
    MissingPage,
    OutsideStore,
    PageExists,
    check_disk,
)
from loom_paging.page import PageRef, fetch, seal
from loom_paging.resident import ResidentSet
from loom_paging.store import Store

FOLDER = "outputs/"
_NUMBER = re.compile(r"outputs/[^/]*_([0-9]{1,15})(?:\.[^/]*)?")
_MEBIBYTE = 1 << 20
_TEXT = ("utf-8", "surrogatepass")  # there and back it gives the same bytes
IsFree = Callable[[str], bool]  # a page's name, to be given to equal bytes again
_TRIES = 1_000  # numbers passed over, after which it is the folder that is taken


class Pager:
    """The pages of one store, with at most `resident_bytes` bytes of pages in memory. For one
    thread.

    `table` maps the name of each page to its reference, `retired` the name of each retired page to
    the reason. Both are read-only."""

    def __init__(self, store: Store, resident_bytes: int = 4 * _MEBIBYTE) -> None:
        self._store = store
        self._table: dict[str, PageRef] = {}
        self.table: Mapping[str, PageRef] = MappingProxyType(self._table)
        self._retired: dict[str, str] = {}
        self.retired: Mapping[str, str] = MappingProxyType(self._retired)
        self._by_sha256: dict[str, list[str]] = {}  # names of equal bytes kept, oldest first
        self._short: dict[str, str] = {}  # "read_0007" and "read_0007.json" to the name
        self._unlisted: list[str] = []  # names that are not in it yet
        self._resident: ResidentSet[bytes | str] = ResidentSet(resident_bytes)
        self._last = max(map(_page_number, store.names(FOLDER)), default=0)
        self._begun = ""  # a page whose put failed: it may be in the store

    def register(self, refs: Iterable[PageRef]) -> None:
        """Add these pages, which the journal names, to the table, unless they are in the table
        already."""
        for ref in refs:
            if self._table.get(ref.name) == ref:
                continue
            self._table[ref.name] = ref
            self._by_sha256.setdefault(ref.sha256, []).append(ref.name)
            self._unlisted.append(ref.name)
            self._last = max(self._last, _page_number(ref.name))

    def retire(self, names: Iterable[str], why: str) -> None:
        """Mark pages as retired: reading such a page raises Expired with the reason `why`. No file
        is removed. A page that was retired before keeps its first reason."""
        for name in names:
            if name in self._table and name not in self._retired:
                self._retired[name] = why
                self._by_sha256[self._table[name].sha256].remove(name)

    def put(
        self, kind: str, extension: str, data: bytes, free: IsFree = lambda name: False
    ) -> PageRef:
        """Write a page durably, add it to the table, and return its reference.

        `kind` and `extension` ("json" or ".json") become parts of the name; characters other than
        a-z, digits and "-" are replaced. If a page with equal bytes exists, the new name becomes a
        link to it. If that page also has this kind and extension, and `free` returns True for its
        name, its reference is returned and nothing is written."""
        word = re.sub("[^a-z0-9]+", "-", kind.lower()).strip("-")[:40] or "page"
        end = "".join(f".{part}" for part in re.findall("[a-z0-9]+", extension.lower()))[:20]
        start, sealed = f"{FOLDER}{word}_", seal("", data)
        for name in self._by_sha256.get(sealed.sha256, ()):
            number = name.removeprefix(start).removesuffix(end)
            if name == f"{start}{number}{end}" and number.isdecimal() and free(name):
                if self._is_verified(sealed, name):
                    return self._table[name]
                break
        first = self._verified_name(sealed)
        name = self._put_under_next_name(start, end, data, first)
        ref = seal(name, data, alias=self._earliest_name(first))
        self.register([ref])
        self._resident.keep(ref.sha256, data, len(data))
        return ref

    def reserve(self, names: Iterable[str]) -> None:
        """Never give a new page a page number that one of these names contains."""
        self._last = max(self._last, *map(_page_number, names), 0)

    def adopt(self, name: str, data: bytes) -> PageRef:
        """Write a page durably under `name`, the name it had in another store, add it to the table,
        and return its reference.

        Nothing is written when the store has the page already. A file with this name and other
        bytes is replaced if no commit names it. Raises CorruptPage when the file is a page in the
        table."""
        first = self._verified_name(seal("", data))
        ref = seal(name, data, alias=self._earliest_name(first))
        try:
            self._store.link(first, name) if first else self._store.put(name, data)
        except PageExists:
            try:
                fetch(self._store, ref)
            except CorruptPage:
                if name in self._table:
                    raise
                # A power cut left this file.
                self._store.delete(name)
                self._store.put(name, data)
        self.register([ref])
        return ref

    def _put_under_next_name(self, start: str, end: str, data: bytes, first: str) -> str:
        """Write a page under the next free name, and return this name: `start`, a number, `end`. If
        `first` is not "", the new name becomes a link to the page `first`."""
        for number in range(self._last + 1, self._last + 1 + _TRIES):
            name = f"{start}{number:04d}{end}"
            if number == _page_number(self._begun) and name != self._begun:
                continue
            try:
                self._store.link(first, name) if first else self._store.put(name, data)
            except PageExists:
                continue
            except BaseException:
                self._begun = name
                raise
            return name
        raise PageExists(name)

    def _earliest_name(self, name: str) -> str:
        """Return the name of the page that `name` is an alias of, or `name` itself when it is no
        alias or that page is retired."""
        alias = self._table[name].alias if name else ""
        return alias if alias and alias not in self._retired else name

    def _verified_name(self, ref: PageRef) -> str:
        """Return the name of a page whose stored bytes have the sha256 and size in `ref`, "" for
        none."""
        names = self._by_sha256.get(ref.sha256, ())
        return next((name for name in names if self._is_verified(ref, name)), "")

    def _is_verified(self, ref: PageRef, name: str) -> bool:
        """Return True when the bytes stored under `name` have the sha256 and size in `ref`."""
        try:
            fetch(self._store, ref, name)
        except (CorruptPage, MissingPage, OutsideStore, OSError) as error:
            check_disk(error)
            return False
        return True

    def get(self, name: str) -> bytes:
        """Return the bytes of a page. Raises Expired when the page is retired, MissingPage when the
        table lacks the name or no file has the bytes, and CorruptPage when every file with them is
        damaged."""
        ref = self._checked_ref(name)
        resident = self._resident.get(ref.sha256)
        if resident is not None:
            return resident if isinstance(resident, bytes) else resident.encode(*_TEXT)
        data = self._load(ref)
        self._resident.keep(ref.sha256, data, len(data))
        return data

    def _checked_ref(self, name: str) -> PageRef:
        """Return the reference of a page. Raises MissingPage for an unknown name, Expired for a
        retired page."""
        if name not in self._table:
            raise self._unknown_page_error(name)
        if name in self._retired:
            raise Expired(name, self._retired[name])
        return self._table[name]

    def _load(self, ref: PageRef) -> bytes:
        """Read the bytes of a page from its own file, or from the file of another page with equal
        bytes, and return them verified."""
        first = [ref.alias] if ref.alias and ref.alias not in self._retired else []
        equal = [ref.name, *first, *self._by_sha256[ref.sha256]]
        errors: list[Exception] = []
        for name in dict.fromkeys(equal):
            try:
                return fetch(self._store, ref, name)
            except (CorruptPage, MissingPage, OutsideStore, OSError) as error:
                check_disk(error)
                errors.append(error)
        raise next((error for error in errors if isinstance(error, CorruptPage)), errors[0])

    def text(self, name: str) -> str:
        """Return the text of a page. Raises the errors of `get`, and BadInput when its bytes are
        not UTF-8; lone surrogates, which JSON from a provider may contain, are kept."""
        key = self._checked_ref(name).sha256
        resident = self._resident.get(key)
        if isinstance(resident, str):
            return resident
        try:
            text = self.get(name).decode(*_TEXT)
        except UnicodeDecodeError as error:
            why = f"it is not UTF-8 ({error.reason} at byte {error.start})"
            raise BadInput(f"page {name!r} cannot be shown as text: {why}") from None
        self._resident.keep(key, text, sys.getsizeof(text))
        return text

    def resolve(self, ref: str) -> PageRef:
        """Return the reference of the page with the name `ref`. Raises MissingPage for an unknown
        name.

        `ref` may have folders in front ("./outputs/read_0007.json"). It may also be only the last
        part of the name, with or without the extension ("read_0007")."""
        named = ref.strip().replace("\\", "/").split("/")
        parts = [part for part in named if part not in ("", ".")]
        name = "/".join(parts[-2:])
        short = parts[-1] if parts and parts[:-1][-1:] in ([], [FOLDER[:-1]]) else ""
        found = name if name in self._table else self._names_by_short.get(short, "")
        if not found:
            raise self._unknown_page_error(ref)
        return self._table[found]

    def newest(self) -> Iterator[str]:
        """Return an iterator over the names of all pages, newest first, retired pages included."""
        return reversed(self._table)

    def named(self, short: str) -> PageRef | None:
        """Return the reference of the page whose name ends in the part `short`, with or without the
        extension ("read_0007"). None means that there is no such page."""
        return self._table.get(self._names_by_short.get(short, ""))

    @property
    def _names_by_short(self) -> dict[str, str]:
        """A map from each short form ("read_0007") to the full name, brought up to date here."""
        for name in self._unlisted:
            for short in _short_forms(name):
                self._short.setdefault(short, name)
        self._unlisted.clear()
        return self._short

    def _unknown_page_error(self, ref: str) -> MissingPage:
        wanted = ref.strip().rpartition("/")[2]
        near = [
            self._names_by_short[short]
            for short in get_close_matches(wanted, self._names_by_short, 6)
        ]
        named = ", ".join(list(dict.fromkeys(near))[:3])
        pages = sum(name.startswith(FOLDER) for name in self._table)
        others = len(self._table) - pages
        where = f"a table of {pages} page{'s' * (pages != 1)}"
        where += f" and {others} snapshot{'s' * (others != 1)}" if others else ""
        where = f"{where} (near: {named})" if named else where
        return MissingPage(ref, where, "use a name the window or the journal shows")


def _page_number(name: str) -> int:
    match = _NUMBER.fullmatch(name)
    return int(match[1]) if match else 0


def _short_forms(name: str) -> list[str]:
    """Return a name's short forms: "outputs/read_0007.json" → ["read_0007.json", "read_0007"]."""
    last = name.rpartition("/")[2]
    return [last, last.partition(".")[0]]
