"""Pictures that the user shows between long work; what matters is in the words beside them."""

from __future__ import annotations

from loom_bench.scenarios.wording import Halves, PlantedWords, Story, hear, woven
from loom_bench.script import SessionScript

SIZES = ((640, 480), (1024, 768), (1280, 800), (1600, 1000), (750, 1334), (320, 200))
KINDS = ("paint", "caption", "person")
TABLES: Halves = {
    "task": (
        ("You build the pages of a web shop; the user shows you what they look like.",),
        ("As an assistant you draw panels for a power station, guided by sketches.",),
    ),
    "opening": (
        ("Here is a screenshot from my phone.", "This is how it looks on the big screen.",
         "The picture shows the page after your last change."),
        ("Enclosed is a photograph of our wall.", "Kindly study this diagram.",
         "I drew it on paper, view the image."),
    ),
    "plain": (
        ("Much better than before.", "Nothing to do here, I was just happy to see it."),
        ("Pretty, isn't it?", "Merely for your amusement."),
    ),
    "thing": (
        ("login banner", "cart badge", "price tag", "footer bar", "search box", "voucher field",
         "sale ribbon", "country list", "star rating", "help bubble", "receipt header"),
        ("boiler gauge", "turbine dial", "fuse map", "coolant valve", "alarm lamp", "relief hatch",
         "pump switch", "steam meter", "breaker row", "shift board", "ash conveyor"),
    ),
    "paint": (
        ("Harbour Teal", "Old Rose", "Buttermilk", "Deep Plum", "Moss Velvet", "Ice Lilac"),
        ("Ember Rust", "Signal Ochre", "Night Umber", "Pale Verdigris", "Kiln Sienna", "Zinc Haze"),
    ),
    "paint said": (
        ("The {thing} ought to be in {value}, not that grey.",
         "In the middle you see the {thing}; {value} is what the brand asks for there.",
         "I have the {thing} in {value} in my head when I look at this."),
        ("Note {thing} near its centre, engineers tint it {value}.",
         "{value} suits {thing}, operators recognise that shade quickly.",
         "Everywhere else {thing} is coated {value}, likewise here."),
    ),
    "paint question": (
        ("Which colour is the {thing} to have?", "In what colour is the {thing} wanted?"),
        ("What shade belongs on {thing}?", "How do engineers coat {thing}?"),
    ),
    "caption": (
        ("Pay without fuss", "Two more and it ships free", "Back in a blink", "Say hello to thrift",
         "Yours since breakfast", "Made at home, mostly"),
        ("Handle under pressure", "Mind residual heat", "Turn clockwise once",
         "Keep both hands dry",
         "Vent prior to entry", "Trained crew exclusively"),
    ),
    "caption said": (
        ("Below the {thing} I would read \"{value}\" instead of the dummy text.",
         "Somebody cut off the words at the {thing}, it says \"{value}\" in full.",
         "\"{value}\" fits on the {thing} even on this small screen."),
        ("Engrave '{value}' along {thing}, as drawn.",
         "You can barely decipher {thing}: '{value}'.",
         "Regulators demanded '{value}' near {thing}."),
    ),
    "caption question": (
        ("What does the {thing} say?", "What are the words on the {thing}?"),
        ("Which inscription does {thing} bear?", "Spell out {thing}'s engraving."),
    ),
    "person": (
        ("Annegret Lowe", "Fabrizio Costa", "Mei Tanaka", "Oluchi Eze", "Henrik Dahl",
         "Zofia Wilk"),
        ("Gunther Praske", "Amaru Condor", "Sinead Roe", "Vikram Nair", "Elodie Blanc",
         "Jarek Holub"),
    ),
    "person said": (
        ("The scribble at the {thing} is by {value}, who decides on it.",
         "{value} decides on the {thing} and circled it, ask before it goes live."),
        ("That arrow pointing at {thing} came from {value}, its keeper.",
         "{value} serves as keeper of {thing}; hence those initials."),
    ),
    "person question": (
        ("Who decides on the {thing}?", "Who has the last word on the {thing}?"),
        ("Whom does {thing} have as keeper?", "Name {thing}'s keeper."),
    ),
    "paint changed": (
        ("Another screenshot, a week on: the {thing} turned out better in {value}.",
         "We tried the {thing} again, please see: {value} it is."),
        ("Revised drawing: {thing} receives {value} after all.",
         "Following trials {thing} switches to {value}, compare."),
    ),
    "caption changed": (
        ("New words at the {thing}, as you can see: \"{value}\".",
         "The {thing} had too little room, in this shot it says \"{value}\" by now."),
        ("Revised drawing: {thing} wears '{value}' after all.",
         "Inspectors preferred '{value}' upon {thing}, compare."),
    ),
    "person changed": (
        ("The {thing} is with {value} since Monday, whose notes you see here.",
         "{value} took over the {thing} and decides on it, as the shot shows."),
        ("Revised drawing: {value} inherited {thing} as keeper.",
         "{value} succeeded as keeper of {thing}, compare those initials."),
    ),
    "rule": (
        ("The logo next to the {thing} stays where the picture has it.",
         "Nothing on this page moves further up than the {thing}."),
        ("Wiring around {thing} remains precisely as photographed.",
         "Leave ten centimetres clear beneath {thing}, visible in that corner."),
    ),
    "asks": (
        ("Do the {thing} now, the way I said by the screenshot.", "Finish the {thing}, please."),
        ("Proceed with {thing} according to our sketch.", "Time for {thing}, would you?"),
    ),
}  # fmt: skip


def pictures(script: SessionScript) -> None:
    """Screenshots and drawings between long work, with facts and rules in the words beside them."""
    words = PlantedWords(script, TABLES)
    script.system(words.one("task"))
    script.user(words.around())
    script.work(2)
    stories: list[Story] = []
    for kind in KINDS:
        stories += [_fact(script, words, kind) for _ in range(2)]
        stories += [_changing(script, words, kind)]
    stories += [_rule(script, words), _rule(script, words), _plain(script, words)]
    woven(script, stories, 38, script.rng.randrange(62_000, 90_000))
    script.user(words.around())


def _fact(script: SessionScript, words: PlantedWords, kind: str) -> Story:
    """A picture, a fact in its words, and work that needs it."""
    thing, value = words.one("thing", "facts"), words.one(kind)
    at = _show(script, words, words.say(f"{kind} said", thing=thing, value=value))
    script.fact(value, words.say(f"{kind} question", thing=thing), at)
    yield
    yield from _needed(script, words, thing, value)


def _changing(script: SessionScript, words: PlantedWords, kind: str) -> Story:
    """The same, and a later picture brings another value."""
    thing, old, new = words.one("thing", "facts"), words.one(kind), words.one(kind)
    question = words.say(f"{kind} question", thing=thing)
    first = _show(script, words, words.say(f"{kind} said", thing=thing, value=old))
    yield
    second = _show(script, words, words.say(f"{kind} changed", thing=thing, value=new))
    script.changes(question, ((first, old), (second, new)))
    script.fact(new, question, second)
    yield
    yield from _needed(script, words, thing, new)


def _rule(script: SessionScript, words: PlantedWords) -> Story:
    """A picture with a constraint in its words."""
    said = words.say("rule", thing=words.one("thing", "rules"))
    script.rule(said, _show(script, words, said))
    yield


def _plain(script: SessionScript, words: PlantedWords) -> Story:
    """Pictures with nothing to remember."""
    for _ in range(4):
        _show(script, words, words.one("plain"))
        yield


def _needed(script: SessionScript, words: PlantedWords, thing: str, value: str) -> Story:
    for _ in range(2):
        hear(script, words, f"{words.say('aside')} {words.say('asks', thing=thing)}")
        script.need(value)
        yield


def _show(script: SessionScript, words: PlantedWords, said: str) -> int:
    """The user shows a picture, now and then a second one after it."""
    if script.messages[-1]["role"] == "tool":
        script.says(words.say("closing"))
    if script.rng.random() < 0.3:
        script.picture(words.say("opening"), *script.rng.choice(SIZES))
    text = [words.say("opening"), *(words.say("aside") for _ in range(script.rng.randint(0, 2)))]
    text.insert(script.rng.randint(1, len(text)), said)
    return script.picture(" ".join([*text, words.say("request")]), *script.rng.choice(SIZES))
