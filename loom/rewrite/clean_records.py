"""Records and documents without secrets, their counts of tokens, sizes and hashes made right.

A walk over what is typed, so that no tag and no name of a field is touched. A count of tokens
changes by what its text takes more or less now: what it counts beside the text stays in it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import fields, replace

from loom.inputs import Reasoning, Reply
from loom.lazy import lazy_re
from loom.providers.formats.envelope import opaques, unpaired_places
from loom.rewrite.own_names import KEYS, OwnNames, is_own_field
from loom.rewrite.secrets import Secrets
from loom_partitions import records as r
from loom_partitions.message import Call, Step, Text, Thought

_BUS_PAGE = lazy_re(r"(?:[a-z0-9_/-]+/)?bus/pages/[0-9a-f]{64}-[0-9a-f]{16}\.(?:json|bin)")
_ADDRESS = lazy_re(r"[a-z0-9_/-]{1,400}")

Same = TypeVar("Same", bound=Struct)
Opaque = TypeVar("Opaque", Thought, Reasoning)
Spoken = TypeVar("Spoken", Step, Reply)


class ReplacedFiles(Struct):
    """Files of another hash, size or name: by the old sha256 (new one, size), by old name.

    `standins` are the hashes of what became a text, `own` the names of files that stay.
    """

    hashes: dict[str, tuple[str, int]] = {}
    names: dict[str, str] = {}
    standins: set[str] = set()
    own: OwnNames = OwnNames(())


class RecordCleaner:
    """Cleans typed values of one workspace; `count` counts tokens, `paged(name)` tells how many
    tokens and bytes a page has more now, and whether it became a stand-in; None for one that is
    as it was."""

    def __init__(
        self,
        secrets: Secrets,
        renewals: ReplacedFiles,
        count: Callable[[str], int],
        paged: Callable[[str], tuple[int, int, bool] | None],
    ) -> None:
        self._secrets, self._new, self._count, self._paged = secrets, renewals, count, paged

    def __call__(self, value: Any) -> Any:
        """The value without secrets; the very same one where nothing changes."""
        if isinstance(value, str):
            return self.string(value)
        if isinstance(value, Struct):
            return SPECIAL.get(type(value), RecordCleaner.clean_struct)(self, value)
        if isinstance(value, tuple | list):
            made = [self(one) for one in value]
            same = all(a is b for a, b in zip(made, value, strict=True))
            return value if same else type(value)(made)
        if isinstance(value, dict):
            now = {key if key in KEYS else self(key): self(one) for key, one in value.items()}
            return value if now == value else now
        return value

    def string(self, text: str) -> str:
        """A text, a hash or a name; that of a file of Loom's own stays."""
        if text in self._new.names:
            return self._new.names[text]
        if text in self._new.own:
            return text
        if len(text) == 64 and text in self._new.hashes:
            return self._new.hashes[text][0]
        if "bus/pages/" in text and _BUS_PAGE.search(text):
            return _BUS_PAGE.sub(lambda found: self._new.names.get(found[0], found[0]), text)
        if "/" in text and self._new.names and _ADDRESS.fullmatch(text):
            return "/".join(self._new.names.get(part, part) for part in text.split("/"))
        clean = self._secrets.text(text)
        return text if clean == text else clean

    def clean_struct(self, value: Same) -> Same:
        """Any Struct, field by field; a size beside a hash follows it, and a count its texts."""
        changes: dict[str, Any] = {}
        for field in fields(value):
            if is_own_field(type(value), field.name):
                continue
            old = getattr(value, field.name)
            new = self(old)
            if new is not old:
                changes[field.name] = new
        old_hash = getattr(value, "sha256", "")
        if "sha256" in changes and isinstance(getattr(value, "size", None), int):
            changes["size"] = self._new.hashes[old_hash][1]
        counted = [one for one in COUNTED if one in changes]
        tokens: int = getattr(value, "tokens", 0)  # that of a lowered call is 0, and stays so
        if tokens and counted:
            more = sum(self.more(getattr(value, one), changes[one]) for one in counted)
            changes["tokens"] = max(tokens + more, 0)
        return replace(value, **changes) if changes else value

    def more(self, old: Any, new: Any) -> int:
        """Tokens that a text, or all texts in a value, take more now."""
        if old is new or old == new:
            return 0
        if isinstance(old, str):
            return self._count(new) - self._count(old)
        if isinstance(old, tuple):
            return sum(map(self.more, old, new))
        if hasattr(old, "tokens"):
            return int(new.tokens - old.tokens)
        return self.more(old.text, new.text) if hasattr(old, "text") else 0

    def shown(self, old: Text) -> Text:
        """A text of the window: its body, or what rests on its page."""
        more, bytes_more, stand_in = (old.page and self._paged(old.page)) or (0, 0, False)
        body = None if old.body is None else self.string(old.body)
        changes: dict[str, Any] = {"body": body, "page": self.string(old.page) if old.page else ""}
        if stand_in and old.media is not None:
            changes["media"] = None
            more = self.more(old.body or "", body or "") - old.media.tokens
        elif body is not None:
            more = self.more(old.body, body) if old.tokens else 0
        if body is not None and body != old.body and not old.page:
            bytes_more = len(_utf8(body)) - len(_utf8(old.body or ""))
        if bytes_more:
            changes["size"] = max(old.size + bytes_more, 0)
        new = replace(old, tokens=max(old.tokens + more, 0), **changes)
        return old if new == old else new

    def call(self, old: Call) -> Call:
        """A call of a tool; one that lost something is not run as it stands here."""
        new = self.clean_struct(old)
        lost = bool(old.page) and self._paged(old.page) is not None
        if lost or (new.name, new.arguments) != (old.name, old.arguments):
            new = replace(new, redacted=True)
        return new

    def thought(self, old: Opaque) -> Opaque:
        """Reasoning: a signed block that would have to change is dropped whole."""
        return type(old)() if self.string(old.opaque) != old.opaque else self.clean_struct(old)

    def reply(self, old: Spoken) -> Spoken:
        """A reply; what goes with a signed block that was dropped goes too."""
        new = self.clean_struct(old)
        dropped = unpaired_places(opaques(old.parts), opaques(new.parts))
        if not dropped:
            return new
        empty = Thought() if isinstance(new, Step) else Reasoning()
        parts = tuple(empty if at in dropped else one for at, one in enumerate(new.parts))
        if not isinstance(new, Step):
            return replace(new, parts=parts)
        return replace(new, parts=parts, tokens=new.tokens + self.more(new.parts, parts))


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


# The fields whose texts a count of tokens beside them counts.
COUNTED = (
    "id", "name", "arguments", "text", "line", "about", "parts", "outcomes", "beside", "outcome",
)  # fmt: skip
SPECIAL: dict[type, Callable[[RecordCleaner, Any], Any]] = {
    Text: RecordCleaner.shown,
    Call: RecordCleaner.call,
    Thought: RecordCleaner.thought,
    Reasoning: RecordCleaner.thought,
    Step: RecordCleaner.reply,
    Reply: RecordCleaner.reply,
    r.Certificate: lambda cleaning, old: old,  # made right where the cut is folded
}
