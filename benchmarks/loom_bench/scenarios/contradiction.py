"""Two sources disagree: pages and code, colleagues and tests, plans, the agent and the user."""

from __future__ import annotations

from msgspec import Struct

from loom_bench.obligations import FactDue
from loom_bench.scenarios.wording import Halves, PlantedWords, Story, hear, woven
from loom_bench.script import SessionScript
from loom_bench.session import HELD_OUT


class ToldBy(Struct, frozen=True):
    """A source that is not the user: a tool, its argument, and what a result looks like."""

    tool: str
    key: str
    address: str
    frame: str


# Who says something, which of two values, and whether it holds from then on. The system's words
# say who is right over whom, the user over all; a plan holds until there is a newer one.
COURSES = (
    (("page", 0, True), ("code", 1, True)),
    (("code", 0, True), ("page", 1, False)),
    (("colleague", 0, True), ("test", 1, True)),
    (("test", 0, True), ("colleague", 1, False)),
    (("plan", 0, True), ("newer", 1, True), ("plan", 0, False)),
    (("agent", 0, False), ("corrects", 1, True)),
    (("user", 0, True), ("corrects", 1, True), ("page", 0, False)),
    (("user", 0, True), ("colleague", 1, False), ("denies", 1, False)),
    (("page", 0, True), ("user", 1, True), ("code", 0, False)),
    (("agent", 0, False), ("corrects", 1, True), ("agent", 1, False)),
)
TURNS = 50

SOURCES: dict[str, tuple[ToldBy, ToldBy]] = {
    "page": (
        ToldBy("open_handbook", "page", "handbook/{slug}.md",
               "# Handbook\n\n{before}\n{said}\n{after}"),
        ToldBy("wiki", "article", "{slug}.wiki", "= Guide =\n{before}\n{said}\n{after}"),
    ),
    "code": (
        ToldBy("show_module", "file", "src/{slug}.py", "{code}\n{NAME} = \"{value}\"\n{more}"),
        ToldBy("print_listing", "path", "lib/{slug}.zig",
               "{code}\nconst {Name} = `{value}`\n{more}"),
    ),
    "colleague": (
        ToldBy("read_channel", "channel", "#{slug}", "{before}\n{who}: {said}\n{after}"),
        ToldBy("inbox", "thread", "{slug}@", "{before}\n<{who}> {said}\n{after}"),
    ),
    "test": (
        ToldBy("run_tests", "suite", "{slug}", "collected 31 items\n{before}\n{said}\n1 failed"),
        ToldBy("verify", "target", "{slug}", "running 44 specs\n{before}\n{said}\nresult: broken"),
    ),
    "plan": (
        ToldBy("open_plan", "file", "plans/{slug}-1.md",
               "Plan of 3 February\n{before}\n- {said}\n{after}"),
        ToldBy("roadmap", "document", "{slug}_v4",
               "Roadmap, version 4\n{before}\n* {said}\n{after}"),
    ),
    "newer": (
        ToldBy("open_plan", "file", "plans/{slug}-2.md",
               "Plan of 9 April\n{before}\n- {said}\n{after}"),
        ToldBy("roadmap", "document", "{slug}_v7",
               "Roadmap, version 7\n{before}\n* {said}\n{after}"),
    ),
}  # fmt: skip
TABLES: Halves = {
    "task": (
        (
            "You help a small firm with its code and papers. Where a page of the handbook and the "
            "code differ, the code is right. Where a colleague and a test differ, the test is "
            "right. A plan counts until there is a newer one. The user is right over all of them.",
        ),
        (
            "As an assistant you serve an observatory. Source outranks articles, measurements "
            "outrank hearsay, later versions of a roadmap outrank earlier versions, and whatever "
            "your human states outranks everything.",
        ),
    ),
    "who": (("Dagny", "Piotr", "Salome"), ("Thandi", "Yusuf", "Ilse")),
    "firm": (
        ("payroll vendor", "paper supplier", "hosting firm", "travel agency",
         "cleaning contractor"),
        ("mirror polisher", "dome painter", "lens broker", "telescope courier", "catering partner"),
    ),
    "firm value": (
        ("Brightwater Ltd", "Aster & Sons", "Karlsberg Union", "Nordlys AB", "Tamarind House",
         "Quillfeather Inc", "Old Mill Group", "Pepperpot Ltd", "Sandpiper Co", "Greystone Bros",
         "Violet Lane Ltd", "Hopscotch AB"),
        ("Zenithal GmbH", "Umbra Works", "Perihel SA", "Corona Brothers", "Albedo KK",
         "Meridian Forge", "Syzygy Oy", "Parallax Trust", "Gnomon BV", "Penumbra Pty",
         "Azimuth Guild", "Nadir SpA"),
    ),
    "limit": (
        ("upload ceiling", "size of a nightly export", "cap on attachments", "order batch"),
        ("exposure bound", "sampling rate", "shutter budget", "readout maximum"),
    ),
    "limit value": (("7#,#00 kB", "3#,#50 rows"), ("9'##0 frames", "4'##5 Hz")),
    "label": (
        ("tax form", "invoice series", "door group", "ledger key", "shop register"),
        ("grating identifier", "filter slot", "plate catalogue", "detector revision", "vault tag"),
    ),
    "label value": (("T-##.#@", "INV@@/###"), ("#@#:@@", "<##@#>")),
    "prose": (
        (
            "The {noun} is told apart by its {adjective} first part.",
            "Write to the office when a {noun} is missing.",
            "Nobody has to {verb} it by hand.",
            "All of it was read again in spring.",
            "For the {adjective} {noun} see the next page.",
        ),
        (
            "Observers should {verb} their {noun} regularly.",
            "Consult maintenance whenever some {noun} seems {adjective}.",
            "Calibration happens beforehand.",
            "This section was reviewed during winter.",
            "Every {adjective} {noun} gets its own entry below.",
        ),
    ),
    "said": (
        ("The {thing} is {value}.", "{thing}: {value}", "We have {value} as the {thing}."),
        ("{value} serves as {thing}.", "{thing} = {value}", "Currently {thing} means {value}."),
    ),
    "chat": (
        (
            "I heard that the {thing} is {value} these days",
            "they told me {value} is the {thing}, so there",
        ),
        (
            "{thing} became {value}, rumour has it",
            "pretty sure somebody picked {value} for {thing}",
        ),
    ),
    "failure": (
        ("FAILED: read {value} as the {thing}", "E  the {thing} is {value} at run time"),
        ("MISMATCH {thing} measured {value}", "!! observed {value} under {thing}"),
    ),
    "agent": (
        ("I take it the {thing} is {value}.", "So I go on with {value} as the {thing}."),
        ("Presumably {value} sits behind {thing}.", "My assumption: {thing} equals {value}."),
    ),
    "user": (
        ("For your work: {value} is the {thing}.", "The {thing} is {value}, that much I know."),
        ("Regarding {thing}, rely on {value}.", "{value} is what {thing} amounts to here."),
    ),
    "corrects": (
        ("That is not right, the {thing} is {value}.", "{value} is the {thing} and nothing else."),
        ("Wrong, {thing} was settled upon {value}.", "Kindly amend: {value} under {thing}."),
    ),
    "denies": (
        ("What they wrote about the {thing} is not so, it stays as I gave it to you.",
         "Pay no heed to the talk about the {thing}, what I told you stands."),
        ("Hearsay on {thing} is false; mine was correct.",
         "Rumours concerning {thing} are nonsense, retain what came from me."),
    ),
    "look": (
        ("Read up on the {thing}, please.", "See what there is on the {thing}."),
        ("Research {thing} briefly.", "Dig into {thing} once more."),
    ),
    "asks": (
        ("Put the {thing} into the letter.", "Now use the {thing} in the form, as it truly is."),
        ("Our brochure mentions {thing}, complete it.", "Insert {thing} where it belongs."),
    ),
    "question": (
        ("What is the {thing}?", "Which {thing} is right?"),
        ("State our actual {thing}.", "{thing}: valid entry?"),
    ),
}  # fmt: skip
SAYS = {"page": "said", "plan": "said", "newer": "said", "colleague": "chat", "test": "failure"}
KINDS = ("firm", "limit", "label")


def contradiction(script: SessionScript) -> None:
    """Ten things on which two sources disagree; what is right is needed later."""
    words = PlantedWords(script, TABLES)
    script.system(words.one("task"))
    script.user(words.around())
    script.work(2)
    courses = script.rng.sample(COURSES, len(COURSES))
    stories = [
        _told(script, words, KINDS[number % len(KINDS)], course)
        for number, course in enumerate(courses)
    ]
    woven(script, stories, TURNS, script.rng.randrange(75_000, 110_000))
    script.user(words.around())


def _told(
    script: SessionScript,
    words: PlantedWords,
    kind: str,
    course: tuple[tuple[str, int, bool], ...],
) -> Story:
    """One thing: what is said of it, and what is asked of it meanwhile and after."""
    thing = words.one(kind)
    question = words.say("question", thing=thing)
    values = (_value(words, kind), _value(words, kind))
    states: list[tuple[int, str]] = []
    for number, (who, which, holds) in enumerate(course):
        at = _said(script, words, who, thing, values[which])
        if holds:
            states.append((at, values[which]))
        yield
        more = any(later for _, _, later in course[number + 1 :])
        if holds and more and script.rng.random() < 0.5:
            hear(script, words, words.say("asks", thing=thing))
            script.owes(FactDue(values[which], question, at, (len(script.messages),)))
            yield
    script.changes(question, states)
    at, value = states[-1]
    script.fact(value, question, at)
    for _ in range(2):
        hear(script, words, f"{words.say('aside')} {words.say('asks', thing=thing)}")
        script.need(value)
        yield


def _value(words: PlantedWords, kind: str) -> str:
    return words.one("firm value") if kind == "firm" else words.code(f"{kind} value")


def _said(script: SessionScript, words: PlantedWords, who: str, thing: str, value: str) -> int:
    """Somebody says what the thing is; returns the number of the message."""
    if who == "agent":
        hear(script, words, words.say("look", thing=thing))
        return script.says(words.say("agent", thing=thing, value=value))
    if who not in SOURCES:
        return hear(script, words, words.around(words.say(who, thing=thing, value=value)))
    source = SOURCES[who][script.half == HELD_OUT]
    said = words.say(SAYS[who], thing=thing, value=value) if who in SAYS else ""
    hear(script, words, words.say("look", thing=thing))
    name = thing.replace(" ", "_")
    result = source.frame.format(
        said=said,
        value=value,
        who=words.one("who"),
        before=_lines(script, words),
        after=_lines(script, words),
        code="\n".join(script.words.code(24)),
        more="\n".join(script.words.code(30)),
        NAME=name.upper(),
        Name=name.title().replace("_", ""),
    )
    return script.call(source.tool, {source.key: source.address.format(slug=name)}, result)


def _lines(script: SessionScript, words: PlantedWords) -> str:
    return "\n".join(words.say("prose") for _ in range(script.rng.randint(3, 20)))
