"""In the answer: lines, of which those of code hide the tags in them.

An opening tag counts in column 0 and where an answer could begin (the start of the text, after a
block), and behind words where it ends the line or stands right before a word, unless its line
closes it; elsewhere in a line it is prose, and so is the closing tag of it. A closing tag that
nothing opened is taken out, unless it stands among words like a word itself.

Text is given out as it comes, up to where a tag may begin. From a tag on, a line waits for its end:
what stands behind the tag decides. A run of backticks that no other closes on its line may open a
code span (§6.1 of CommonMark): from there on, the lines wait for the run that closes it or for the
end of their paragraph, and are then read again, with both known.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from loom.lazy import lazy_re
from loom.providers.reasoning.code import CODE_INDENT, Code
from loom.providers.reasoning.inside import QUOTES
from loom.providers.reasoning.reading import ReadingState
from loom.providers.reasoning.separated import IN_PROSE, STRAY_CLOSE
from loom.providers.reasoning.spellings import PATTERN, TAG, begun, spelling

_TOKENS = lazy_re(rf"\\[`<\[]|(?P<run>`++)|{PATTERN}")
_NONBLANK = lazy_re(r"\S")
_TO_LINE_END = lazy_re(r"[^\S\n]*+(?:\n|$)")
UNSOUGHT = -2
_LETTER = lazy_re(r"[^\W\d_]")
_QUOTED = lazy_re(r"\s*+>")
_BEFORE_A_BLOCK = frozenset(".!?:;,…。，、；：！？")  # or a blank
_BEFORE_A_WORD = frozenset(QUOTES) | set("([{")
_AFTER_A_WORD = frozenset(QUOTES.values()) | set(".,;:!?)]}/&|…。，、；：！？")


class AnswerReader:
    """The answer at hand. `again` reads a text that had to wait, from its offset on."""

    def __init__(self, reading: ReadingState, again: Callable[[str, int], None]) -> None:
        self.opened: str | None = None  # the spelling of an opening tag that was just read
        self._reading = reading
        self._again = again
        self._code = Code()
        self._lead: list[str] | None = []  # blanks before the answer; None once it began
        self._after_block = False
        self._doubled = 0  # closing tags that may follow the block's
        self._indent = ""  # of the line at hand, given out already
        self._mid = False  # the text at hand begins inside a line
        self._prose = 0  # opening tags in prose that wait for their closing ones
        self._tail: list[str] = []  # a line that waits for its end
        self._tail_at = 0
        self._held: list[str] = []  # a paragraph that waits, from an unmatched run on
        self._held_at = 0
        self._run = (0, 0)  # length and end of that run
        self._given = 0  # what stands before was given out
        self._edge = ""  # the end of what waits, which may be the beginning of a tag
        self._tagged = False  # a tag stands in what waits

    def begin(self, offset: int, doubled: int = 0) -> None:
        """A block of reasoning ended at `offset`; it had been opened `doubled` times more."""
        self._lead, self._after_block, self._doubled = [], True, doubled
        self._mid, self._indent = False, ""
        self._given, self._edge, self._tagged = offset, "", False
        self._code.restart(offset)

    def read(self, text: str, start: int, end: int) -> int:
        """Read on in the line `text[start:end]`; returns how far it came."""
        reading = self._reading
        if self._lead is not None:
            return self._blanks(text, start)
        if not (self._tail or self._held or self._mid or self._indent):
            tag = TAG.match(text, start)
            if tag and tag["open"] and not self._code.hides(reading.base + start):
                return self._begin_block(tag)
            if not tag and self._may_begin_tag(text, start):
                return len(text)
        if text[end - 1] != "\n" and not reading.final:
            self._wait(text[start:end], reading.base + start)
        elif self._tail:
            self._tail.append(text[start:end])
            self._end_line()
        elif self._held:
            return end if self._goes_on(text, start, end) else start
        else:
            return self._line(text, start, end)
        return end

    def settle(self) -> None:
        """The end of the text: nothing waits any longer."""
        if self._tail:
            self._end_line()
        if self._held:
            self._code.runs.ended = True
            self._release()
        if self._lead:
            self._reading.emit("tag" if self._after_block else "answer", "".join(self._lead))
            self._lead = None

    def _blanks(self, text: str, start: int) -> int:
        """Blanks, then a tag where an answer could begin, or the answer."""
        found = _NONBLANK.search(text, start)
        at = found.start() if found else len(text)
        lead = self._lead or []
        if at > start:
            self._lead = lead
            lead.append(text[start:at])
            return at
        tag = TAG.match(text, at)
        if not tag and self._may_begin_tag(text, at):
            return len(text)
        lines, newline, self._indent = "".join(lead).rpartition("\n")
        code = len(self._indent.expandtabs(CODE_INDENT)) >= CODE_INDENT and not self._after_block
        if tag and not code:
            self._reading.emit("tag", lines + newline + self._indent)
            self._lead, self._indent = [], ""
            return self._begin_block(tag) if tag["open"] else self._drop(tag)
        self._reading.emit("tag" if self._after_block else "answer", lines + newline)
        # Behind a tag, on its line, a blank is no indentation.
        inline = self._after_block and not newline
        self._reading.emit("tag" if inline else "answer", self._indent)
        if inline:
            self._indent = ""
        self._lead, self._given = None, self._reading.base + at
        return at

    def _may_begin_tag(self, text: str, start: int) -> bool:
        """Keep what may be the beginning of a tag for the text to come."""
        if self._reading.final or begun(text, start) != start:
            return False
        self._reading.rest = text[start:]
        return True

    def _begin_block(self, tag: re.Match[str]) -> int:
        self._reading.note("open", tag)
        self._reading.emit("tag", tag[0])
        self._lead, self.opened = None, spelling(tag)
        return tag.end()

    def _drop(self, tag: re.Match[str]) -> int:
        """Take out a closing tag that nothing opened."""
        if self._lead is not None and self._doubled:
            self._doubled -= 1
        else:
            self._reading.note("close", tag)
            self._reading.odd.append(STRAY_CLOSE)
        self._after_block = True
        self._reading.emit("tag", tag[0])
        self._given = self._reading.base + tag.end()
        return tag.end()

    def _line(self, text: str, start: int, end: int) -> int:
        """A whole line, or what is left of it."""
        base = self._reading.base
        if not self._mid:
            indent, self._indent = self._indent, ""
            if self._code.enter(text, start, end, base, indent):
                return self._give(text, start, end)
        closed = UNSOUGHT  # where the last closing tag of the line stands
        for token in _TOKENS.finditer(text, start, end):
            at = token.start()
            if base + at < self._code.span:
                continue
            if token["open"] and self._behind_words(text, token, start, end):
                closed = _last_close(text, token.end(), end) if closed == UNSOUGHT else closed
                if closed < at:
                    self._give(text, start, at)
                    return self._begin_block(token)
            if token["run"] and not self._code.opens(base + at, base + token.end()):
                self._give(text, start, at)
                return self._hold(text, at, end, token.end() - at)
            if token["open"]:
                self._prose += 1
                self._leave(token)
            elif token["close"] and self._prose:
                self._prose -= 1
                self._leave(token)
            elif token["close"] and self._like_a_word(text, token, start, end):
                self._leave(token)
            elif token["close"]:
                return self._stray(text, token, start, end)
        self._mid = False
        return self._give(text, start, end)

    def _behind_words(self, text: str, tag: re.Match[str], start: int, end: int) -> bool:
        """True when an opening tag in a line stands as no word does: after some, before a text."""
        at, behind = tag.span()
        if at == start or not (text[at - 1].isspace() or text[at - 1] in _BEFORE_A_BLOCK):
            return False
        if _QUOTED.match(text, start, at) or not (self._mid or _LETTER.search(text, start, at)):
            return False
        if _TO_LINE_END.match(text, behind, end):
            return True
        return not (text[behind].isspace() or text[behind] in _AFTER_A_WORD)

    def _like_a_word(self, text: str, tag: re.Match[str], start: int, end: int) -> bool:
        """True when a closing tag stands in its line as a word does, or in quotes."""
        at, behind = tag.span()
        before = text[at - 1] if at > start else ">" if self._mid else " "
        if before in _BEFORE_A_WORD:
            return True
        if not before.isspace() or _TO_LINE_END.match(text, behind, end):
            return False
        return text[behind].isspace() or text[behind] in _AFTER_A_WORD

    def _leave(self, tag: re.Match[str]) -> None:
        self._reading.note("prose", tag)
        self._reading.odd.append(IN_PROSE)

    def _stray(self, text: str, tag: re.Match[str], start: int, end: int) -> int:
        at = tag.start()
        self._give(text, start, at)
        alone = not self._mid and not text[start:at].strip()
        if alone and _TO_LINE_END.match(text, tag.end(), end):
            self.begin(self._reading.base + tag.end())
        else:
            self._mid = True
        return self._drop(tag)

    def _wait(self, text: str, offset: int) -> None:
        """A line whose end is yet to come."""
        if not self._tail:
            self._tail_at = offset
        self._tail.append(text)
        self._give_sure(text, offset)

    def _end_line(self) -> None:
        """Read the line whose end has come."""
        line, self._tail, self._edge = "".join(self._tail), [], ""
        self._tagged = self._tagged and bool(self._held)
        self._again(line, self._tail_at)

    def _hold(self, text: str, start: int, end: int, run: int) -> int:
        """The rest of a line, from a run of backticks on that may open a span."""
        offset = self._reading.base + start
        self._held, self._held_at, self._run = [text[start:end]], offset, (run, offset + run)
        self._mid, self._edge, self._tagged = False, "", False
        self._give_sure(text[start:end], offset)
        return end

    def _goes_on(self, text: str, start: int, end: int) -> bool:
        """True when a line still belongs to the paragraph that waits; else that one is over."""
        code, base = self._code, self._reading.base
        if code.ends(text, start, end):
            code.runs.ended = True
            self._release()
            return False
        code.runs.note(text, start, end, base)
        self._held.append(text[start:end])
        self._give_sure(text[start:end], base + start)
        if code.runs.after(*self._run) is not None:
            self._release()
        return True

    def _release(self) -> None:
        """Read the paragraph again from its run of backticks on, now that its end is known."""
        held, self._held = "".join(self._held), []
        self._mid, self._edge, self._tagged = True, "", False
        self._again(held, self._held_at)

    def _give_sure(self, text: str, offset: int) -> None:
        """Give out what waits, up to where a tag may begin."""
        if not self._tagged:
            text, offset = self._edge + text, offset - len(self._edge)
            tag = TAG.search(text)
            sure = tag.start() if tag else begun(text)
            self._tagged, self._edge = tag is not None, text[sure:]
            self._give_out(text[:sure], offset)

    def _give(self, text: str, start: int, end: int) -> int:
        self._give_out(text[start:end], self._reading.base + start)
        return end

    def _give_out(self, text: str, offset: int) -> None:
        """Give out the part of an answer that was not given yet."""
        self._reading.emit("answer", text[max(0, self._given - offset) :])
        self._given = max(self._given, offset + len(text))


def _last_close(text: str, start: int, end: int) -> int:
    """Where the last closing tag of a line stands, -1 without one."""
    return max((tag.start() for tag in TAG.finditer(text, start, end) if tag["close"]), default=-1)
