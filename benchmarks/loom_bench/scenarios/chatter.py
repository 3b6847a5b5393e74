"""A support desk: many customers, hundreds of small messages, few tools, nothing to mix up."""

from __future__ import annotations

from loom_bench.scenarios.wording import Halves, PlantedWords, Story, woven
from loom_bench.script import SessionScript
from loom_bench.session import HELD_OUT

TABLES: Halves = {
    "task": (
        ("You answer the chat of a furniture shop. Each line begins with the customer's name.",),
        ("As concierge of an airline you converse with travellers, whose names precede lines.",),
    ),
    "name": (
        ("Ines Varga", "Ines Moreau", "Tomasz Sato", "Priya Quispe", "Freya Moreau", "Osman Brandt",
         "Tomasz Brandt", "Clara Iversen", "Dario Sato", "Hanna Quispe", "Priya Lund",
         "Otis Varga"),
        ("Wanda Kirsch", "Igor Palmer", "Wanda Palmer", "Leila Ekdahl", "Marta Ekdahl",
         "Ruben Achebe",
         "Igor Achebe", "Leila Kirsch", "Sunniva Roth", "Bruno Ferrant", "Ruben Roth",
         "Carys Ferrant"),
    ),
    "line": (("[{name}] {text}", "{name}: {text}"), ("{name} >> {text}", "<{name}> {text}")),
    "goods": (
        ("oak shelf", "corner sofa", "bunk bed", "bath mirror", "desk lamp", "kitchen stool",
         "wool rug", "garden bench", "shoe rack", "glass table"),
        ("window seat", "vegetarian meal", "cello case", "connecting flight", "pram",
         "lounge entry",
         "aisle upgrade", "ski bag", "night transfer", "boarding card"),
    ),
    "shade": (("red", "white", "black", "brown"), ("early", "spare", "cheap", "soft")),
    "small": (
        ("Thanks, that is kind of you.", "My {goods} came with a scratch, a small one though.",
         "Is the {shade} {goods} still on sale?", "My neighbour has the same {goods} and loves it.",
         "Sorry, the dog wanted out, where were we?", "How long is the {goods}, roughly?",
         "It rains here all day, so I stay in and build the {goods}.",
         "There is one screw too many.",
         "Could the {goods} also be had in {shade}?", "I just read the leaflet of the {goods}.",
         "My son put the {goods} together without a word.",
         "The driver was very polite, by the way.",
         "I am not in a hurry with the {goods}.", "Hm, let me measure the wall first."),
        ("Great, much appreciated.", "Does some {shade} {goods} mean surcharges?",
         "Our previous {goods} was cancelled repeatedly, unbelievable.",
         "Hold on, somebody rings at my gate.",
         "Would {goods} be possible with children?", "Airports frighten me, especially mornings.",
         "A colleague mentioned your {goods}, apparently wonderful.", "Fine, whatever works best.",
         "Where does one collect {goods}?", "Your website crashed while choosing {goods}.",
         "Grandmother travels with us, she prefers {shade} {goods}.", "Understood, continuing.",
         "Weather seems awful around here, should we worry?", "Previously {goods} cost nothing."),
    ),
    "reply": (
        ("You are welcome. The {goods} is a good choice.",
         "Of course. The {goods} comes in two boxes.",
         "I am sorry about the {goods}; a photo would help us.",
         "Yes, we have the {shade} one as well.",
         "Take your time, I am here until eight.", "The {goods} holds up to ninety kilos.",
         "Most people build the {goods} in an hour.", "Let me see what the shop says."),
        ("Certainly, {goods} can be arranged.", "My pleasure! Anything regarding {goods}?",
         "Unfortunately {shade} options are gone, {goods} remains.", "Apologies for that {goods}.",
         "Staff at counter nine explain {goods} gladly.", "Relax, delays seem unlikely.",
         "Passengers often request {goods}; I noted yours.", "One moment."),
    ),
    "number": (("KD-#####", "M##-@@##"), ("@@@#@#", "##.@@.##")),
    "number given": (
        ("Sure, the slip says {value}.", "It is about order {value}, the one with the {goods}.",
         "Order {value}. My handwriting is terrible, I hope I copied it well."),
        ("Booking {value}, made by phone.", "{value} appears atop my confirmation.",
         "Mine displays {value}, including {goods}."),
    ),
    "number asks": (
        ("Any news on my order?", "Is my order on its way?", "I would like to cancel my order."),
        ("Kindly rebook me.", "Has our booking shifted meanwhile?",
         "Kindly email that booking anew."),
    ),
    "number question": (
        ("Which order number has {name}?", "What is the number of {name}'s order?"),
        ("Booking reference belonging to {name}?", "Under which booking does {name} travel?"),
    ),
    "promise": (
        ("a voucher over 35.50", "free assembly", "a new left drawer", "half the freight back",
         "a second tin of varnish", "pickup by two men", "a call from the joiner",
         "a matching cushion"),
        ("250 bonus miles", "hotel breakfast", "priority unloading", "a waived surcharge",
         "an escort through customs", "replacement luggage", "a bassinet onboard",
         "chauffeur service"),
    ),
    "promise given": (
        ("I am sorry for the trouble. You get {value} from us, you have my word.",
         "We make up for it with {value}; I see to that."),
        ("To compensate, I hereby grant {value}.", "Expect {value}; consider it confirmed."),
    ),
    "promise asks": (
        ("And what you promised me, does it still stand?",
         "What was it again that I get from you?"),
        ("Remember your assurance?", "Did anyone forget my compensation?"),
    ),
    "promise question": (
        ("What did we promise {name}?", "What does {name} get from us for the trouble?"),
        ("How was {name} compensated?", "Which assurance did {name} receive?"),
    ),
    "place": (
        ("4 Larkspur Mews", "19 Tannery Row", "82 Gosling Street", "7 Bellfounder Lane",
         "51 Orchard Steps", "33 Millrace Walk", "12 Saddler's Yard", "68 Dovecote Hill",
         "27 Ropemaker Court", "90 Thistle Bank"),
        ("Gate Kestrel 14", "Pier Osprey 3", "Hall Merlin 22", "Bay Heron 41", "Deck Plover 8",
         "Wing Curlew 17", "Ramp Falcon 6", "Dock Egret 29", "Kiosk Linnet 35", "Bridge Avocet 11"),
    ),
    "place given": (
        ("The van should come to {value}.", "I live at {value}, second bell.",
         "Send it to {value}, someone is in."),
        ("I shall wait around {value}.", "Meet us near {value}.",
         "{value} is where they dropped me."),
    ),
    "place changed": (
        ("We have moved, it is {value} now.", "Not there any more, please bring it to {value}."),
        ("Plans altered: meet me beside {value}.", "They relocated everyone towards {value}."),
    ),
    "place asks": (
        ("So where will you bring it?", "Tell the driver where I live, he phoned me."),
        ("Does your shuttle know our spot?", "Could a porter reach me?"),
    ),
    "place question": (
        ("Where does {name} live?", "To which address do we send {name}'s things?"),
        ("At what spot is {name} waiting?", "Which meeting point suits {name}?"),
    ),
    "acted": (
        ("That is seen to.", "Done, you will hear from us.", "I passed it on just now."),
        ("Sorted.", "Handled, safe travels.", "Forwarded immediately."),
    ),
    "asked": (
        ("Could you give me a few details?", "Which one is it about?"),
        ("May I request further particulars?", "Kindly specify."),
    ),
    "stock": (("in store", "sold out", "on the way"), ("available", "waitlisted", "closed")),
}  # fmt: skip
LOOKED_UP = (("shop_stock", "article"), ("seat_registry", "search"))
PROMISED, MOVING = 8, 5  # customers who get a promise, and who move


def chatter(script: SessionScript) -> None:
    """Twelve customers of a support desk in hundreds of small messages, not to be mixed up."""
    desk = SupportDesk(script)
    script.system(desk.words.one("task"))
    names = [desk.words.one("name") for _ in range(12)]
    stories = [desk.given(name, "number") for name in names]
    stories += [desk.given(name, "promise") for name in script.rng.sample(names, PROMISED)]
    stories += [desk.moves(name) for name in script.rng.sample(names, MOVING)]
    woven(script, stories, 86, script.rng.randrange(80_000, 88_000), desk.talks)
    desk.heard(script.rng.choice(names), desk.words.say("small", **desk.slots()))


class SupportDesk:
    """The desk: what is said to and fro at it."""

    def __init__(self, script: SessionScript) -> None:
        self.script = script
        self.words = PlantedWords(script, TABLES)
        self.style = self.words.one("line")

    def given(self, name: str, kind: str) -> Story:
        """A customer's order, or what the agent promises a customer; needed later."""
        value = self.words.code(kind) if kind == "number" else self.words.one(kind)
        at = self._tells(name, kind, value)
        self.script.fact(value, self.words.say(f"{kind} question", name=name), at)
        yield
        yield from self._asks(name, kind, value)

    def moves(self, name: str) -> Story:
        """A customer's place, which changes."""
        old, new = self.words.one("place"), self.words.one("place")
        question = self.words.say("place question", name=name)
        first = self._tells(name, "place", old)
        yield
        second = self.heard(name, self.words.say("place changed", value=new))
        self.script.changes(question, ((first, old), (second, new)))
        self.script.fact(new, question, second)
        self.answers(name, self.words.say("acted"))
        yield
        yield from self._asks(name, "place", new)

    def talks(self, script: SessionScript, tokens: int) -> None:
        """Small talk of anybody until the session has so many tokens; one exchange at least."""
        while True:
            name = script.rng.choice(self.words.pool("name"))
            for _ in range(script.rng.randint(1, 3)):
                self.heard(name, self._some("small"))
                if script.rng.random() < 0.2:
                    self._looks_up()
                self.answers(name, self._some("reply"))
            if script.tokens >= tokens:
                return

    def heard(self, name: str, text: str) -> int:
        """A customer says something; returns the number of the message."""
        return self.script.user(self.style.format(name=name, text=text))

    def answers(self, name: str, text: str) -> int:
        """The agent says something to a customer."""
        return self.script.says(f"@{name} {text}")

    def slots(self) -> dict[str, str]:
        """What small talk is about."""
        return {"goods": self.words.one("goods"), "shade": self.words.one("shade")}

    def _some(self, kind: str) -> str:
        count = self.script.rng.randint(1, 6)
        return " ".join(self.words.say(kind, **self.slots()) for _ in range(count))

    def _tells(self, name: str, kind: str, value: str) -> int:
        """A promise is the agent's own; all else comes from the customer."""
        text = self.words.say(f"{kind} given", value=value, **self.slots())
        if kind == "promise":
            self.heard(name, self._some("small"))
            return self.answers(name, text)
        self.heard(name, self._some("small"))
        self.answers(name, self.words.say("asked"))
        at = self.heard(name, text)
        self.answers(name, self.words.say("acted"))
        return at

    def _asks(self, name: str, kind: str, value: str) -> Story:
        """The customer comes back, and the reply needs the value; now and then it repeats it."""
        for _ in range(2):
            self.heard(name, f"{self._some('small')} {self.words.say(f'{kind} asks')}")
            self.script.need(value)
            said = f"{value}: " if self.script.rng.random() < 0.25 else ""
            self.answers(name, said + self.words.say("acted"))
            yield

    def _looks_up(self) -> None:
        """The agent looks at what there is; it says nothing of any customer."""
        tool, key = LOOKED_UP[self.script.half == HELD_OUT]
        rows = [
            f"{self.words.one('shade')} {self.words.one('goods')} | {self.words.one('stock')}"
            for _ in range(self.script.rng.randint(6, 40))
        ]
        self.script.call(tool, {key: self.words.one("goods")}, "\n".join(rows))
