"""Which sentences of a reply state a decision: a choice that was made, between things.

Strict on purpose. What is about to be done ("Let me look", "I'll run"), what is asked for, left
open or put under a condition, and what somebody else decided are no decisions of the agent: few
right ones are worth more than many that are none. English first, then the commonest other forms.
"""

from __future__ import annotations

import re

from loom.lazy import lazy_re

SCANNED = 4_000  # characters of one sentence

_WHO = (
    r"(?:I|we)(?:['’](?:ve|m|re|ll)| have| had| am| are| will)?(?: (?:also|now|then|finally|both))?"
)
_USE = (
    r"(?:use|keep|store|put|stay with|leave|make|write|build|rely on|base|model|stick (?:to|with))"
)
_NOT_THAT = r"(?:instead of|rather than|in place of|in favou?r of|and not|no longer)"
# What says by itself that something was chosen.
_STATED = lazy_re(
    rf"\b{_WHO} (?:decided|chose|chosen|picked (?!up)|opted|settled on|settling on|agreed (?:on|to)"
    r"|choosing|opting for|ruled out|gave up on|abandoned|dropped the idea"
    r"|(?:go|going|went|gone) with|stick(?:ing)? (?:with|to)"
    r"|(?:changed|changing) (?:course|tack|direction|(?:my|our) (?:mind|approach))"
    r"|(?:reverted|reversed|took back|dropped) (?:the|my|our|that) decision)\b"
    r"|\blet['’]s (?:go with|stick (?:with|to)|settle on|keep (?!going|\w+ing\b|it\b|in mind))"
    r"|^[*_ ]*(?:(?:final|design) )?decision(?:[*_ ]*:|\b[^:.]{0,60}:)"
    r"|^[*_ ]*decided\b|^(?:so |ok,? |okay,? )?going with\b|^changed course\b|^change of plans?\b"
    r"|\bwas (?:decided|chosen|ruled out)\b|\b(?:is|are) ruled out\b"
    r"|\b(?:ich habe|wir haben)\b.{1,120}\bentschieden\b|\bentscheide mich\b"
    r"|\b(?:j['’]ai|nous avons) (?:décidé|choisi|opté)\b"
    r"|\b(?:he decidido|hemos decidido|decidimos|optamos por|decidi|optei por|ho deciso)\b"
    r"|(?:我|我们|我們)(?:最终|最終)?(?:决定|決定|选择|選擇)|决定(?:使用|采用|改用)|改用|採用し"
    r"|(?:решил|решила|решили) (?!\w+ть (?:посмотреть|проверить))"
    r"|ことにし(?:た|ます|ました)|に決め(?:た|ました)",
    re.IGNORECASE,
)
# What is chosen where it is told against something else, or with its reason.
_AGAINST = lazy_re(
    r"\b(?:(?:I|we)(?:['’]ll| will| now|['’](?:m|re) going to)|let['’]s)(?: \w+){1,3} "
    rf".{{0,300}}?\b{_NOT_THAT}\b"
    rf"|\b(?:I['’]ll|I will|we['’]ll|we will|let['’]s) (?:{_USE}|pass|return|treat|convert)\b"
    r".{3,300}?\binstead\b[.!]?$"
    r"|\b(?:I['’]ll|I will|we['’]ll|we will|let['’]s) (?:remove|drop|replace)\b"
    r".{3,200}?\bbut keep\b"
    r"|\b(?:I|we)(?:['’]ll| will)? (?:no longer|not) (?:use|need|rely on|support)\b"
    r"|\b(?:instead of|rather than)\b.{1,200}?, (?:(?:I|we)(?:['’]ll| will| now| use)|let['’]s)\b"
    rf"|\b(?:I|we) (?:(?:now|will now) )?use\b.{{1,300}}?\b{_NOT_THAT}\b"
    rf"|\b(?:I['’]ll|I will|we['’]ll|we will|let['’]s) {_USE} .{{1,300}}?"
    r"(?:,? because |,? since |; |, as (?:it|this|that|the)\b| so that )"
    rf"|\bwill (?:now )?(?:use|stay|live|become|rely on|move to)\b.{{1,200}}?\b{_NOT_THAT}\b",
    re.IGNORECASE,
)
# Before the choice, what makes it none: a condition, a proposal, a wish, the next action.
_UNSURE = lazy_re(
    r"\b(?:if|unless|when(?:ever)?|once|could|might|would|should|may|maybe|perhaps|option|options"
    r"|alternative(?:ly)?|recommend\w*|suggest\w*|propos\w*|consider\w*|need to|needs to|have to"
    r"|has to|let me|want|either|why|how|what|which|not(?: yet)?|haven['’]t|hasn['’]t|didn['’]t"
    r"|never|before|until|users?|you|he|she|they|reviewers?|author)\b",
    re.IGNORECASE,
)
# Anywhere in it: the decision is asked for, or still open.
_OPEN = lazy_re(
    r"[?？]|\b(?:whether|whatever you|undecided|up to you|your call|let me know|do you|would you"
    r"|should (?:we|I)|(?:shall|could) (?:we|I)|decide (?:later|between|if|on which)|to be decided"
    r"|tbd"
    r"|(?:still|remains?) open|or not|pros and cons|(?:a|the) decision (?:is|on)\b.{0,40}\bneeded"
    r"|waiting for|(?:is|are|still) pending)\b",
    re.IGNORECASE,
)
# What was resolved on is only what is done next.
_NEXT = lazy_re(
    r"\b(?:decided|opted|chose|agreed|['’]ll|will|going|entschieden|décidé|decidido)"
    r"(?: now| first| also| to)* (?:look|read|check|run|rerun|start|begin|continue|verify"
    r"|investigate|explore|inspect|test|see|search|review|ask|proceed|wait|commit|push|fetch|open"
    r"|try|find|grep|list|debug|trace|do|examine|undo)\b",
    re.IGNORECASE,
)
_EMPTY = lazy_re(r"\b(?:with|on|use|picked|for) (?:that|this|it|these|those)\b\W*$", re.IGNORECASE)


def chosen_at(sentence: str) -> int:
    """The place in a sentence where a decision is stated; -1 when it states none."""
    text = sentence[:SCANNED]
    if text.startswith("|") or _OPEN.search(text) or _EMPTY.search(text):
        return -1
    for pattern in (_STATED, _AGAINST):
        found = pattern.search(text)
        if found is None or _UNSURE.search(text[: found.start()]):
            continue
        if not (_NEXT.search(found[0] + text[found.end() : found.end() + 20])):
            return found.start()
    return -1
