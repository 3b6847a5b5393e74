"""Facts early, in the middle and late, each in one result of many, and needed long after."""

from __future__ import annotations

from loom_bench.script import SessionScript

THINGS = (
    ("payments gateway", "nightly importer", "mail relay", "tax service", "audit archive"),
    ("badge printer", "tide forecast", "seat planner", "loan desk", "parcel tracker"),
)
OWNERS = (
    ("Ines Varga", "Tomasz Sato", "Priya Quispe", "Freya Moreau", "Osman Brandt"),
    ("Wanda Kirsch", "Igor Palmer", "Leila Fontaine", "Marta Ekdahl", "Ruben Achebe"),
)
SAYINGS = (
    ("The {thing} is looked after by {owner}.", "{thing}: on call is {owner}."),
    ("Ask {owner} about the {thing}.", "Responsible for the {thing} is {owner}."),
)


def needle(script: SessionScript) -> None:
    """Five facts strewn over a long session of work; each is asked for at the end."""
    script.system("You are a careful engineer who works on this project with tools.")
    script.user(f"Please get the {script.words.name().replace('_', ' ')} work done.")
    half = script.pick((0,), (1,))
    things = script.rng.sample(THINGS[half], 5)
    owners = script.rng.sample(OWNERS[half], 5)
    for number, (thing, owner) in enumerate(zip(things, owners, strict=True)):
        script.work(tokens=3_000 + 20_000 * number)
        said = script.rng.choice(SAYINGS[half]).format(thing=thing, owner=owner)
        lines = script.words.code(40)
        lines.insert(script.rng.randrange(10, 30), f"# {said}")
        at = script.call("read", {"path": script.words.path()}, "\n".join(lines))
        script.fact(owner, f"Who looks after the {thing}?", at)
    script.work(tokens=110_000)
    script.user(script.pick(("Who looks after what?",), ("Give me the names, please.",)))
