"""Clean records and documents from secrets, and correct their token counts, sizes and hashes.

Typed values are cleaned field by field, so no tag and no field name is touched. A token count
changes by as many tokens as its texts grew or shrank. Tokens in the count that belong to no text
stay in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import fields, replace

from loom.inputs import Reasoning, Reply
from loom.lazy import lazy_re
from loom.providers.formats.envelope import opaques, unpaired_indexes
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
    """The files that get another hash, size or name. `hashes` maps an old sha256 to a pair (new
    sha256, new size in bytes). `names` maps an old name to the new one.

    `standins` holds the old hashes of the files that a short text replaced. `own` holds the file
    names given by Loom, which stay unchanged in texts."""

    hashes: dict[str, tuple[str, int]] = {}
    names: dict[str, str] = {}
    standins: set[str] = set()
    own: OwnNames = OwnNames(())


class RecordCleaner:
    """A callable that cleans the typed values of one workspace from secrets. `count` returns the
    number of tokens of a text. `paged(name)` returns a tuple (added tokens, added bytes, whether a
    short text replaced the whole page) for a changed page, or None for an unchanged page."""

    def __init__(
        self,
        secrets: Secrets,
        renewals: ReplacedFiles,
        count: Callable[[str], int],
        paged: Callable[[str], tuple[int, int, bool] | None],
    ) -> None:
        self._secrets, self._new, self._count, self._paged = secrets, renewals, count, paged

    def __call__(self, value: Any) -> Any:
        """Return a copy of a value with the secrets replaced, or the value itself if it holds no
        secret."""
        if isinstance(value, str):
            return self.clean_string(value)
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

    def clean_string(self, text: str) -> str:
        """Return `text` with the secrets replaced. The hash or name of a changed file becomes the
        new hash or name."""
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
        clean = self._secrets.clean_text(text)
        return text if clean == text else clean

    def clean_struct(self, value: Same) -> Same:
        """Return a copy of a Struct with each field cleaned, and its `size` and `tokens`
        corrected."""
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
            more = sum(self.extra_tokens(getattr(value, one), changes[one]) for one in counted)
            changes["tokens"] = max(tokens + more, 0)
        return replace(value, **changes) if changes else value

    def extra_tokens(self, old: Any, new: Any) -> int:
        """Return the number of tokens in `new` minus the number in `old`. Both are a text, a tuple
        of values, or a Struct."""
        if old is new or old == new:
            return 0
        if isinstance(old, str):
            return self._count(new) - self._count(old)
        if isinstance(old, tuple):
            return sum(map(self.extra_tokens, old, new))
        if hasattr(old, "tokens"):
            return int(new.tokens - old.tokens)
        return self.extra_tokens(old.text, new.text) if hasattr(old, "text") else 0

    def clean_shown_text(self, old: Text) -> Text:
        """Return a text of the window with the secrets in its body replaced, and with its tokens
        and size corrected."""
        more, bytes_more, stand_in = (old.page and self._paged(old.page)) or (0, 0, False)
        body = None if old.body is None else self.clean_string(old.body)
        changes: dict[str, Any] = {
            "body": body,
            "page": self.clean_string(old.page) if old.page else "",
        }
        if stand_in and old.media is not None:
            changes["media"] = None
            more = self.extra_tokens(old.body or "", body or "") - old.media.tokens
        elif body is not None:
            more = self.extra_tokens(old.body, body) if old.tokens else 0
        if body is not None and body != old.body and not old.page:
            bytes_more = len(_utf8(body)) - len(_utf8(old.body or ""))
        if bytes_more:
            changes["size"] = max(old.size + bytes_more, 0)
        new = replace(old, tokens=max(old.tokens + more, 0), **changes)
        return old if new == old else new

    def clean_call(self, old: Call) -> Call:
        """Return a tool call with the secrets replaced. A call that held a secret is marked
        `redacted`."""
        new = self.clean_struct(old)
        lost = bool(old.page) and self._paged(old.page) is not None
        # Marked, so that nobody runs the changed call.
        if lost or (new.name, new.arguments) != (old.name, old.arguments):
            new = replace(new, redacted=True)
        return new

    def clean_thought(self, old: Opaque) -> Opaque:
        """Return reasoning with the secrets replaced. A block that its provider signed becomes
        empty if it holds a secret."""
        return (
            type(old)() if self.clean_string(old.opaque) != old.opaque else self.clean_struct(old)
        )

    def clean_reply(self, old: Spoken) -> Spoken:
        """Return a reply with the secrets replaced. If a signed block of reasoning is emptied, the
        parts that depend on the block are emptied too."""
        new = self.clean_struct(old)
        dropped = unpaired_indexes(opaques(old.parts), opaques(new.parts))
        if not dropped:
            return new
        empty = Thought() if isinstance(new, Step) else Reasoning()
        parts = tuple(empty if at in dropped else one for at, one in enumerate(new.parts))
        if not isinstance(new, Step):
            return replace(new, parts=parts)
        return replace(new, parts=parts, tokens=new.tokens + self.extra_tokens(new.parts, parts))


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


# The fields whose texts a count of tokens beside them counts.
COUNTED = (
    "id", "name", "arguments", "text", "line", "about", "parts", "outcomes", "beside", "outcome",
)  # fmt: skip
SPECIAL: dict[type, Callable[[RecordCleaner, Any], Any]] = {
    Text: RecordCleaner.clean_shown_text,
    Call: RecordCleaner.clean_call,
    Thought: RecordCleaner.clean_thought,
    Reasoning: RecordCleaner.clean_thought,
    Step: RecordCleaner.clean_reply,
    Reply: RecordCleaner.clean_reply,
    r.Certificate: lambda cleaning, old: old,  # made right where the cut is folded
}
