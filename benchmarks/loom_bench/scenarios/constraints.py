"""Side constraints in the middle of the user's messages; some are lifted or narrowed later."""

from __future__ import annotations

from msgspec import Struct

from loom_bench.scenarios.wording import Halves, PlantedWords, Story, capital, hear, side, woven
from loom_bench.script import SessionScript


class SideConstraint(Struct, frozen=True):
    """A kind of constraint. `value` names the table of what it demands, if it demands something
    exact; then `question` is asked and the user has `asks` for work in which it matters."""

    about: str
    says: tuple[str, ...]
    lifts: tuple[str, ...]
    narrows: tuple[str, ...]
    value: str = ""
    question: str = ""
    asks: tuple[str, ...] = ()


TABLES: Halves = {
    "place": (
        ("src/checkout", "lib/billing", "web/landing", "jobs/payroll", "src/ratings"),
        ("app/berths", "packages/tides", "edge/kiosk", "daemon/ferries", "app/harbours"),
    ),
    "part": (("fonts", "styles", "colours", "icons"), ("soundings", "buoys", "charts", "depths")),
    "holder": (
        ("Petra", "Joaquin", "Mirela", "Anselm", "Noor"),
        ("Hendrika", "Tadeo", "Solveig", "Bashir", "Yuna"),
    ),
    "product": (
        ("gift card shop", "coupon mailer", "loyalty scheme", "price finder", "refund desk"),
        ("mooring planner", "lock keeper's log", "cargo scales", "crane rota", "pilot roster"),
    ),
    "party": (
        ("the landlord", "the press", "the tax office", "the bank"),
        ("the coastguard", "the union", "the insurer", "the ministry"),
    ),
    "prefix": (
        ("wip-falcon-", "kx/heron-", "plum-draft-", "qa.otter-"),
        ("zz~cobalt/", "haul_umber_", "trial+ochre/", "rig=sepia-"),
    ),
    "unit": (
        ("thousands of Swedish kronor", "whole Danish øre", "Swiss rappen", "Czech haléř"),
        ("nautical cables", "imperial fathoms", "long hundredweights", "register tons"),
    ),
    "person": (
        ("Wilhelmina Dorr", "Casimir Oyelaran", "Beatrix Hallgren", "Lucian Pereira"),
        ("Ottoline Vance", "Emeka Strand", "Ysolde Marchetti", "Radomir Quill"),
    ),
    "package": (
        ("lxml-heavy", "numexpr", "pyicu", "wxwidgets"),
        ("gdal-lite", "shapely", "netcdf4", "cartopy"),
    ),
    "task": (
        ("You help with the code of a shop that sells on the web.",),
        ("As an assistant you tend the programs of a port.",),
    ),
}

KINDS: tuple[tuple[SideConstraint, ...], tuple[SideConstraint, ...]] = (
    (
        SideConstraint(
            "place",
            (
                "{holder} is halfway through {thing}, so it stays the way it is for the moment.",
                "As {holder} left {thing}, so I would like to find it on Monday.",
                "The files in {thing} belong to {holder} this month and we read them at most.",
            ),
            ("{holder} is through with {thing}, feel free to go in there.",),
            ("In {thing} it is just the {part} that {holder} still cares for, the rest is ours.",),
        ),
        SideConstraint(
            "product",
            (
                "Branches of the {thing} begin with {value} because the build farm sorts by that.",
                "The build farm only picks up a branch of the {thing} if it starts with {value}.",
            ),
            ("The build farm takes any branch of the {thing} since this week.",),
            ("For the {thing} the {value} at the front matters for hotfixes and nowhere else.",),
            "prefix",
            "What does the name of a branch of the {thing} begin with?",
            ("Cut a branch for the {thing} and push it.", "The {thing} wants a fresh branch."),
        ),
        SideConstraint(
            "party",
            (
                "Mail to {thing} goes past {value} before it leaves the house.",
                "{value} likes to see a letter to {thing} first, she has had bad surprises.",
            ),
            ("A letter to {thing} can leave directly, we got a lawyer for that.",),
            ("Only invoices to {thing} still go past {value}, other mail is fine.",),
            "person",
            "Who looks at a letter to {thing} first?",
            ("Write to {thing} about the delay.", "Get the mail to {thing} out today."),
        ),
        SideConstraint(
            "product",
            (
                "Sums on the screens of the {thing} are in {value}, as the auditors count.",
                "The auditors add up the {thing} in {value}, so that is what its screens show.",
            ),
            ("The auditors gave up on the {thing}, show sums there as you like.",),
            ("The {thing} shows {value} on the monthly screen alone.",),
            "unit",
            "In what do the screens of the {thing} show sums?",
            ("Add the new total to the {thing}.", "The {thing} lacks a sum at the bottom."),
        ),
        SideConstraint(
            "product",
            (
                "The machines of the {thing} come without a compiler, so we live without {value}.",
                "With {value} the {thing} would not even start on the small machines.",
            ),
            ("The {thing} got new machines, {value} builds fine on them.",),
            ("Small machines of the {thing} are without {value}, on the big ones it is welcome.",),
        ),
    ),
    (
        SideConstraint(
            "place",
            (
                "{holder} maintains {thing} solo until autumn, we merely consult it.",
                "An inspection of {thing} is underway and {holder} expects no interference.",
                "Whatever lives in {thing} remains untouched while {holder} recovers.",
            ),
            ("{holder} handed {thing} over, modifications are acceptable there.",),
            ("Inside {thing} merely the {part} remain with {holder}, everything else is yours.",),
        ),
        SideConstraint(
            "product",
            (
                "Tags for the {thing} lead with {value}, otherwise its release robot sleeps.",
                "The release robot of the {thing} listens for tags opening on {value}.",
            ),
            ("The {thing} lost its release robot, tag however suits you.",),
            ("Beta tags of the {thing} lead with {value}, stable tags drop it.",),
            "prefix",
            "How does a tag opens that the release robot of the {thing} listens for?",
            ("Tag the {thing}, would you?", "Release the {thing} tonight."),
        ),
        SideConstraint(
            "party",
            (
                "Anything addressed to {thing} crosses the table of {value} beforehand.",
                "{value} signs off whatever {thing} receives, that was agreed long ago.",
            ),
            ("{thing} receives things straight away nowadays, no signature involved.",),
            ("Contracts addressed to {thing} cross the table of {value}, memos travel freely.",),
            "person",
            "Who signs off documents addressed to {thing}?",
            ("Compose the memo addressed to {thing}.", "{thing} awaits our statement, send one."),
        ),
        SideConstraint(
            "product",
            (
                "Crews interpret the {thing} in {value}, no other was taught aboard.",
                "Measures inside the {thing} appear in {value} owing to old contracts.",
            ),
            ("Crews switched, measures inside the {thing} may appear in metres or kilos.",),
            ("Printed pages of the {thing} stick with {value}; displays are metric.",),
            "unit",
            "Which measure do crews expect inside the {thing}?",
            ("Extend the {thing} by one more column.", "Put tonight's figures into the {thing}."),
        ),
        SideConstraint(
            "product",
            (
                "Licence lawyers frown upon {value}, hence the {thing} manages by itself.",
                "Our {thing} manages by itself: {value} is under the wrong licence.",
            ),
            ("Licence trouble around {value} is settled, the {thing} can import it.",),
            ("{value} inside the {thing} is acceptable during trials, short of customers.",),
        ),
    ),
)
FATES = ("stands", "stands", "lifted", "stands", "narrowed")


def constraints(script: SessionScript) -> None:
    """Fifteen constraints of the user between other matters, some lifted or narrowed later."""
    words = PlantedWords(script, TABLES)
    script.system(words.one("task"))
    script.user(words.around())
    script.work(3)
    stories: list[Story] = []
    for number, kind in enumerate([*side(script, KINDS)] * 3):
        fate = FATES[(number + number // 5) % len(FATES)]
        stories.append(_constraint(script, words, kind, fate))
    script.rng.shuffle(stories)
    woven(script, stories, 38, script.rng.randrange(75_000, 110_000))
    script.user(words.around())


def _constraint(
    script: SessionScript, words: PlantedWords, kind: SideConstraint, fate: str
) -> Story:
    """A constraint from the message that brings it to its end, a turn at a time."""
    given = {
        "thing": words.one(kind.about, kind.says[0]),
        "holder": words.one("holder"),
        "part": words.one("part"),
        "value": words.one(kind.value or "package"),
    }
    said = words.fill(kind.says[0], kind.says, given)
    at = hear(script, words, words.around(said))
    rule = script.rule(said, at)
    stands = fate == "stands" and bool(kind.value)
    if stands:
        script.fact(given["value"], capital(kind.question.format(**given)), at)
    yield
    if stands:
        for ask in script.rng.sample(kind.asks, 2):
            hear(script, words, " ".join((words.say("aside"), capital(ask.format(**given)))))
            script.need(given["value"])
            yield
    if fate == "lifted":
        gone = words.fill(kind.lifts[0], kind.lifts, given)
        script.lift(rule, hear(script, words, words.around(gone)))
        yield
    if fate == "narrowed":
        less = words.fill(kind.narrows[0], kind.narrows, given)
        at = hear(script, words, words.around(less))
        script.lift(rule, at)
        script.rule(less, at)
        yield
