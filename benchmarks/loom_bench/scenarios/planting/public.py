"""The words of the public half."""

from __future__ import annotations

from loom_bench.scenarios.planting.kinds import PlantedHalf, PlantedKind, PlantedTool

KINDS = (
    PlantedKind(
        "pager holder", "pager", "{given} {family}",
        ("Page {value} when the {subject} breaks at night.",
         "{subject}: the pager is with {value}.",
         "{value} has the pager for the {subject} this quarter."),
        ("Whom do we page for the {subject}?", "Who has the pager of the {subject}?"),
        ("The {subject} just went down, tell its pager holder.",
         "Send the incident summary on the {subject} to whoever has its pager."),
    ),
    PlantedKind(
        "port", "listen", "tcp/4####",
        ("The {subject} listens on {value}.",
         "Connect to the {subject} through {value}, nothing else is open.",
         "{subject} bound to {value} and answered."),
        ("On which port does the {subject} listen?", "How does one connect to the {subject}?"),
        ("Open the firewall for the {subject}.", "Test the port of the {subject}."),
    ),
    PlantedKind(
        "ticket", "ticket", "OPS-#####",
        ("Everything about the {subject} is tracked under {value}.",
         "{value} is the ticket of the {subject}.",
         "Comments on the {subject} belong to {value}."),
        ("Which ticket tracks the {subject}?", "What is the ticket of the {subject}?"),
        ("Close the ticket of the {subject}.", "Comment on the ticket of the {subject}."),
    ),
    PlantedKind(
        "release candidate", "candidate", "v#.##.#-rc#",
        ("The {subject} ships as {value}.", "Customers get {value} of the {subject} first.",
         "{subject}: {value} passed, that one ships."),
        ("Which release candidate of the {subject} ships?",
         "Which candidate of the {subject} is due for release?"),
        ("Tag the release candidate of the {subject}.", "Publish what ships of the {subject}."),
    ),
    PlantedKind(
        "budget", "budget", "EUR 7#,###",
        ("The {subject} may cost {value} a year.", "Finance granted the {subject} {value}.",
         "{value} is all there is for the {subject}."),
        ("How much money may the {subject} cost?", "How large is the budget of the {subject}?"),
        ("Put the budget of the {subject} into the sheet.",
         "Does the quotation for the {subject} fit its budget?"),
    ),
    PlantedKind(
        "freeze date", "freeze", "2# March 20##",
        ("Nothing merges into the {subject} after {value}.", "The {subject} freezes on {value}.",
         "{value}: merge stop of the {subject}."),
        ("When does the {subject} freeze?", "After what date does nothing merge into {subject}?"),
        ("Put the freeze of the {subject} into the calendar.",
         "Remind the team when the {subject} freezes."),
    ),
    PlantedKind(
        "spare host", "spare", "{bird}-4##.lan",
        ("If the {subject} dies, fail over to {value}.", "{value} stands by for the {subject}.",
         "The spare of the {subject} is {value}."),
        ("Which host stands by for the {subject}?", "Where does the {subject} fail over to?"),
        ("Fail the {subject} over.", "Ping the spare host of the {subject}."),
    ),
    PlantedKind(
        "launch flag", "flag", "--{flagged}-embers-##",
        ("Start the {subject} with {value}, or it hangs.",
         "Without {value} the {subject} does not start.",
         "{subject} came up once {value} was given."),
        ("With which flag is the {subject} started?", "Which flag starts the {subject}?"),
        ("Start the {subject} once more.", "Write the start script of the {subject}."),
    ),
)  # fmt: skip

TOOLS = {
    "log": PlantedTool("tail_log", "unit", ("{slug}.unit", "cron.unit", "edge.unit")),
    "json": PlantedTool("query_inventory", "selector", ("kind=all", "zone=##", "age>##")),
    "prose": PlantedTool("open_wiki", "page", ("Runbook-##", "Notes-##", "Minutes-##")),
    "code": PlantedTool("cat_source", "file", ("ops/part##.py", "ops/unit##.toml")),
    "table": PlantedTool("pull_sheet", "sheet", ("inventory-##", "costs-##")),
    "shell": PlantedTool("exec", "line", ("opsctl check ##", "opsctl diff ##", "opsctl sync ##")),
    "change": PlantedTool("patch_source", "file", ("ops/{slug}.toml",)),
}

PHRASES = {
    "harness": ("You are a careful engineer who helps with operations by means of tools.",
                "You run errands on servers. Take the tools, waste no words."),
    "opening": ("Please take stock of our systems, a lot has moved lately.",
                "I need help with the cleanup of our operations notes."),
    "nudge": ("Go on, please.", "Thanks, and the rest?", "Good, keep at it."),
    "done": ("Done.", "That went through.", "Finished with that one."),
    "ending": ("Write everything down for the team now, in one message.",
               "Please sum it all up for the team."),
    "aside": ("By the way: {said}", "{said} Just so it is known.", "One more thing. {said}"),
    "change": ("Change of plan: the {label} of the {subject} is {value} from here on.",
               "{subject} has moved, its {label} is now {value}.",
               "Scrap {old} for the {subject}, take {value}."),
    "changed": ("{slug}: {label} moved to {value}", "ok {slug} {key} -> {value}",
                "rewrote {slug} ({label} {value} from this run on)"),
    "inquiry": ("Which {label} shall I take for the {subject} from now on?",
                "The {label} of the {subject} no longer fits. What instead?"),
    "current": ("Which {label} does the {subject} have now?",
                "What is the {label} of the {subject} now?"),
    "answer": ("{value}.", "Take {value}.", "Let it be {value}."),
    "rejected": ("Somebody proposed {value} as {label} of the {subject}; I refused, leave it.",
                 "If anyone says the {subject} gets {value}: that was a rumour, ignore it."),
    "history": ("Years ago, in the basement, the {label} of the {subject} had been {value}.",
                "{subject}, changelog 2019: {label} {value} (long gone)"),
    "sample": ("example for newcomers, made up: {label} {value}",
               "dummy {key} of the test bench: {value}"),
}  # fmt: skip

PUBLIC_WORDS = PlantedHalf(
    codenames=("Alder", "Basalt", "Cinnabar", "Dunlin", "Ember", "Fennel", "Garnet", "Heron",
               "Iris", "Juniper", "Kelp", "Larch"),
    systems=("importer", "scheduler", "mirror", "notifier", "archive", "thermostat",
             "storefront", "mailroom", "crawler", "dashboard"),
    kinds=KINDS,
    tables={
        "given": ("Ines", "Tomasz", "Priya", "Freya", "Osman", "Lucia", "Henrik", "Amara",
                  "Dmitri", "Noor"),
        "family": ("Varga", "Sato", "Quispe", "Moreau", "Brandt", "Okafor", "Lindqvist",
                   "Haddad", "Petrov", "Castellan"),
        "bird": ("kestrel", "plover", "avocet", "siskin", "curlew", "merlin"),
        "flagged": ("hold", "skip", "trust", "bank", "stoke"),
        "part": ("fan", "fuse", "plug", "hinge", "battery", "cable"),
        "option": ("a canary fleet", "a dark launch", "two cold standbys", "a paper trail"),
        "paper": ("leaflet", "contract", "inventory list", "safety sheet"),
    },
    tools=TOOLS,
    phrases=PHRASES,
)  # fmt: skip
