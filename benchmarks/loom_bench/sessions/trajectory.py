"""Sessions with planted facts, settings and constraints, all of it worded by a seed.

Values have forms that filler never has (names of people, hosts, versions, dates, sums), so that
a value found in a window is the one that was planted. Reads, commands, searches and listings, every
fifth step two of them at once; every 25 steps the user lays down a rule and a constraint.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from random import Random
from typing import TypeVar

from msgspec import Struct

from loom.inputs import Event, Reply, Result, Session, Speech, System, ToolCall, User
from loom_bench.sessions.material import Material

THINGS = (
    "payments gateway", "nightly importer", "search cluster", "billing exporter", "mail relay",
    "image resizer", "partner portal", "fraud scorer", "tax service", "warehouse feed",
    "login service", "map renderer", "price crawler", "audit archive", "refund desk",
    "loyalty engine", "video encoder", "print server", "support inbox", "sensor bridge",
)  # fmt: skip
FIRST = ("Ines", "Tomasz", "Priya", "Joaquin", "Freya", "Osman", "Linnea", "Dmitri", "Amara",
         "Kenji", "Noor", "Callum", "Beatriz", "Anton", "Yusra", "Mirela")  # fmt: skip
LAST = ("Varga", "Okonkwo", "Halloran", "Sato", "Brandt", "Quispe", "Nyberg", "Moreau", "Castell",
        "Ferenc", "Adeyemi", "Lindqvist", "Rahimi", "Dunmore", "Petrov", "Sorensen")  # fmt: skip
BIRDS = ("kestrel", "plover", "bittern", "siskin", "dunlin", "merlin", "wryneck", "gannet",
         "curlew", "fulmar", "avocet", "whimbrel")  # fmt: skip
MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September",
          "October", "November", "December")  # fmt: skip
FOLDERS = ("legal/", "vendor/", "fixtures/golden", "migrations/", "infra/prod", "assets/brand")
GROUPS = ("the auditors", "our partners", "the support crew", "the board", "the press office")
LANGUAGES = ("French", "Portuguese", "Finnish", "Korean", "Welsh")
CURRENCIES = ("euros", "Swiss francs", "Danish kroner", "yen")
TOPICS = ("pricing", "retention periods", "the rollout order", "naming", "access rights")

Item = TypeVar("Item")
Value = Callable[[Random], str]


def person(rng: Random) -> str:
    """A name of two words."""
    return f"{rng.choice(FIRST)} {rng.choice(LAST)}"


def host(rng: Random) -> str:
    """The name of a machine."""
    return f"{rng.choice(BIRDS)}-{rng.randint(100, 999)}.example.net"


def version(rng: Random) -> str:
    """A version of three numbers."""
    return f"v{rng.randint(2, 19)}.{rng.randint(10, 99)}.{rng.randint(10, 99)}"


def date(rng: Random) -> str:
    """A day with its month written out."""
    return f"{rng.randint(1, 28)} {rng.choice(MONTHS)} {rng.randint(2031, 2049)}"


def money(rng: Random) -> str:
    """A sum with its unit."""
    return f"{rng.randint(11, 98)},{rng.randint(101, 989)} {rng.choice(CURRENCIES)}"


# What a thing has, and of which form it is.
ATTRIBUTES: dict[str, Value] = {
    "owner": person,
    "on-call lead": person,
    "fallback host": host,
    "mirror": host,
    "pinned version": version,
    "protocol version": version,
    "cut-over date": date,
    "renewal date": date,
    "monthly ceiling": money,
    "quarterly budget": money,
}
STATEMENTS = (
    "The {attribute} of the {thing} is {value}.",
    "For the {thing} the {attribute} has been fixed: {value}.",
    "{thing}: {attribute} {value}, agreed with everybody involved.",
    "It turned out that the {thing} has {value} as its {attribute}.",
)
QUESTIONS = (
    "What is the {attribute} of the {thing}?",
    "Tell me the {attribute} of the {thing} again, please.",
    "Which {attribute} did we have for the {thing}?",
)
CJK_THINGS = (
    "支付网关",
    "夜间导入任务",
    "検索クラスタ",
    "請求書の書き出し",
    "메일 중계 서버",
    "가격 수집기",
)
CJK_ATTRIBUTES = ("负责人", "迁移日期", "担当者", "予備ホスト", "담당자", "예산 한도")
CJK_VALUES = (
    "林晓雯",
    "欧阳明远",
    "三宅千尋",
    "早乙女航",
    "남궁현우",
    "선우지안",
    "司徒若兰",
    "八重樫蓮",
)
CONSTRAINTS = (
    "I'd rather you didn't touch anything below {folder} while {person} is away.",
    "Messages that go to {group} go out in {language} and in nothing else.",
    "Leave the {thing} alone until {person} has signed off on it.",
    "Show me the diff first whenever a change reaches {folder}.",
    "Amounts that concern the {thing} are written in {currency}, with the cents.",
    "Nobody outside {group} gets to see the figures of the {thing}.",
    "Don't let any single test run of the {thing} take longer than {number} minutes.",
    "When you are unsure about {topic}, ask {person} and not me.",
    "Keep the names of customers out of every file you write for {group}.",
    "Run the checks of the {thing} with {number} workers at most, the machine is shared.",
    "Dates in anything {group} will read are written with the day first.",
    "No new dependencies in {folder}, {person} maintains that part by hand.",
    "Whatever you restart, the {thing} stays up between nine and {number} minutes past five.",
    "Use tabs in {folder} even where the formatter would like something else.",
)  # fmt: skip
OPENERS = ("Thanks, that helps.", "OK, on to the next part.", "Good, I had a look at it.",
           "Sorry for the silence, I was in a meeting.", "Right.")  # fmt: skip
CLOSERS = ("Go on whenever you are ready.", "Tell me what you find.", "I'll be back in an hour.",
           "That should be all for now.", "Have a look, please.")  # fmt: skip
SET = (
    "Let's take {value} as the {attribute} of the {thing}.",
    "For the {thing} we go with {value} as {attribute}.",
)
CHANGED = (
    "I changed my mind: the {attribute} of the {thing} becomes {value}.",
    "We talked it over, take {value} as the {attribute} of the {thing} from now on.",
    "Not {old} after all, the {attribute} of the {thing} is {value} now.",
)


class PlantedFact(Struct, frozen=True):
    """Something to know: the thing, what of it, the value, and a question in plain words."""

    thing: str
    attribute: str
    value: str
    question: str
    statement: str

    @property
    def slug(self) -> str:
        """The thing as files and keys name it: `payments-gateway`."""
        return self.thing.replace(" ", "-")

    @property
    def key(self) -> str:
        """The attribute as a configuration names it: `fallback_host`."""
        return self.attribute.replace(" ", "_").replace("-", "_")


class Grammar:
    """A seeded source of planted words; nothing it gives is given twice."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self._subjects = _shuffled(rng, [(thing, of) for thing in THINGS for of in ATTRIBUTES])
        self._cjk = _shuffled(rng, [(a, b) for a in CJK_THINGS for b in CJK_ATTRIBUTES])
        self._cjk_values = _shuffled(rng, CJK_VALUES)
        self._templates: list[str] = []
        self._given: set[str] = set()

    def fact(self) -> PlantedFact:
        """A fact about a thing and an attribute not asked about before."""
        thing, attribute = self._subjects.pop()
        return self._worded(thing, attribute, self.value(attribute))

    def again(self, fact: PlantedFact) -> PlantedFact:
        """The same subject with another value."""
        return self._worded(fact.thing, fact.attribute, self.value(fact.attribute))

    def value(self, attribute: str) -> str:
        """A value of the attribute's form."""
        return self._fresh(lambda: ATTRIBUTES[attribute](self.rng))

    def foreign(self) -> PlantedFact:
        """A fact in Chinese, Japanese or Korean, now and then with an emoji."""
        thing, attribute = self._cjk.pop()
        value = self._cjk_values.pop()
        mark = self.rng.choice(("", "🟣", "🧭🇫🇮"))
        statement = f"{mark}「{thing}」{attribute}：{value}"
        return PlantedFact(thing, attribute, value, f"「{thing}」{attribute}？", statement)

    def constraint(self) -> str:
        """A sentence that lays something down, without any word that announces it."""
        return self._fresh(self._constraint)

    def _constraint(self) -> str:
        if not self._templates:
            self._templates = _shuffled(self.rng, CONSTRAINTS)
        rng = self.rng
        return self._templates.pop().format(
            folder=rng.choice(FOLDERS),
            person=person(rng),
            group=rng.choice(GROUPS),
            language=rng.choice(LANGUAGES),
            currency=rng.choice(CURRENCIES),
            topic=rng.choice(TOPICS),
            thing=rng.choice(THINGS),
            number=rng.randint(11, 49),
        )

    def talk(self, around: str, sentences: Sequence[str]) -> str:
        """A longer message with a sentence in its middle."""
        middle = len(sentences) // 2
        said = [*sentences[:middle], around, *sentences[middle:]]
        return " ".join((self.rng.choice(OPENERS), *said, self.rng.choice(CLOSERS)))

    def chosen(self, fact: PlantedFact, old: str = "") -> str:
        """The user settles on a value, or changes his mind about an old one."""
        template = self.rng.choice(CHANGED if old else SET)
        return template.format(
            thing=fact.thing, attribute=fact.attribute, value=fact.value, old=old
        )

    def _worded(self, thing: str, attribute: str, value: str) -> PlantedFact:
        question, statement = self.rng.choice(QUESTIONS), self.rng.choice(STATEMENTS)
        words = {"thing": thing, "attribute": attribute, "value": value}
        return PlantedFact(
            thing, attribute, value, question.format(**words), statement.format(**words)
        )

    def _fresh(self, make: Callable[[], str]) -> str:
        made = make()
        while made in self._given:
            made = make()
        self._given.add(made)
        return made


def _shuffled(rng: Random, items: Sequence[Item]) -> list[Item]:
    made = list(items)
    rng.shuffle(made)
    return made


CALLS = 300
EVERY = 25  # steps between what the user lays down
PARALLEL = 5  # every so many steps two calls at once

Work = Callable[[Material], tuple[dict[str, str], str]]


def _read(material: Material) -> tuple[dict[str, str], str]:
    lines = material.code(material.rng.randint(40, 146))
    return {"path": material.path()}, "\n".join(lines)


def _shell(material: Material) -> tuple[dict[str, str], str]:
    lines = material.log(material.rng.randint(10, 43))
    return {"command": f"make {material.noun()} 2>&1 | tail"}, "\n".join(lines)


def _search(material: Material) -> tuple[dict[str, str], str]:
    lines = [
        f"{material.path()}:{material.rng.randint(1, 900)}:{material.code_line()}"
        for _ in range(material.rng.randint(13, 66))
    ]
    return {"pattern": material.name()}, "\n".join(lines)


def _list(material: Material) -> tuple[dict[str, str], str]:
    lines = [material.path() for _ in range(material.rng.randint(70, 182))]
    return {"path": material.path().rpartition("/")[0]}, "\n".join(lines)


WORK: dict[str, Work] = {"read": _read, "shell": _shell, "search": _search, "list": _list}


def trajectory(seed: int, calls: int = CALLS) -> Session:
    """A session of `calls` replies; of 300 it has some 690 messages and 310,000 tokens."""
    rng = Random(f"cache:{seed}")
    material, grammar = Material(rng), Grammar(rng)
    events: list[Event] = [System(f"You are a careful engineer.\n\n{material.prose(12)}")]
    for step in range(calls):
        if step % EVERY == 0:
            events.append(User(f"{material.sentence()} {grammar.constraint()}"))
            around = [material.sentence() for _ in range(5)]
            events.append(User(grammar.talk(grammar.constraint(), around)))
        asked, results = [], []
        for number in range(2 if step % PARALLEL == PARALLEL - 1 else 1):
            name = rng.choice(sorted(WORK))
            arguments, text = WORK[name](material)
            id = f"call_{step:04d}_{number}"
            asked.append(ToolCall(id, name, json.dumps(arguments)))
            results.append(Result(id, text))
        events += [Reply((Speech(material.sentence()), *asked)), *results]
    return Session(f"made-up-{seed}", tuple(events), "generated")
