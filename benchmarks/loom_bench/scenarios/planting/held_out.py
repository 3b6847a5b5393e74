"""The words of the half that is held out."""

from __future__ import annotations

from loom_bench.scenarios.planting.kinds import PlantedHalf, PlantedKind, PlantedTool

KINDS = (
    PlantedKind(
        "approver", "signatory", "{forename} {surname}",
        ("Sign-off for the {subject} comes from {value}.",
         "Only {value} may approve upgrades at the {subject}.",
         "{subject} approved by {value}, as always."),
        ("Whose approval does the {subject} require?", "Who signs off at the {subject}?"),
        ("Request approval for the {subject} upgrade.",
         "Mail the {subject} upgrade to its approver."),
    ),
    PlantedKind(
        "serial number", "serial", "SN/@@-6####",
        ("Stamped below the {subject}: {value}.", "The {subject} carries {value} as serial number.",
         "Warranty for the {subject} covers {value} alone."),
        ("What serial number does the {subject} carry?", "Serial number for the {subject}?"),
        ("Register the {subject} at the vendor.", "Claim warranty for the {subject}."),
    ),
    PlantedKind(
        "vault path", "vault", "vault:{metal}/##/{gem}",
        ("Credentials used by the {subject} live in {value}.",
         "Fetch secrets for the {subject} out of {value}.",
         "{subject} unlocked, {value} was readable."),
        ("Where do credentials used by the {subject} live?",
         "What vault path feeds the {subject}?"),
        ("Rotate secrets used by the {subject}.", "Unlock the {subject}."),
    ),
    PlantedKind(
        "region", "region", "{compass}-quay-7##",
        ("The {subject} lives in {value} alone.", "Traffic for the {subject} goes via {value}.",
         "{value} hosts the {subject}."),
        ("In what region does the {subject} live?", "Inside what region sits the {subject}?"),
        ("Deploy the {subject} anew.", "Measure traffic between here and the {subject}."),
    ),
    PlantedKind(
        "pinned build", "build", "edition.8####@",
        ("Production uses {value}, the {subject} build that survived.",
         "Pin the {subject} at {value}.", "{subject} rolled back; {value} remains pinned."),
        ("What build does the {subject} use in production?",
         "What build got pinned for the {subject}?"),
        ("Roll the {subject} back.", "Compare the {subject} against its pinned build."),
    ),
    PlantedKind(
        "storage cap", "cap", "9#.## TiB",
        ("Storage at the {subject} is capped: {value}.",
         "The {subject} alerts once disks exceed {value}.", "Disks allotted: {value} ({subject})."),
        ("What storage cap applies at the {subject}?", "How far may {subject} storage grow?"),
        ("Adjust alerts for the {subject} disks.", "Is the {subject} near its storage cap?"),
    ),
    PlantedKind(
        "chat channel", "channel", "#{tram}-depot-5##",
        ("Outages at the {subject} get announced in {value}.",
         "Post about the {subject} in {value}, nowhere else.",
         "{value} discusses the {subject} daily."),
        ("Where do outages at the {subject} get announced?",
         "Into what chat channel go {subject} posts?"),
        ("Announce an outage at the {subject}.", "Post {subject} progress."),
    ),
    PlantedKind(
        "reboot slot", "reboot", "{weekday} 03:4# CET+#",
        ("Reboots at the {subject} happen {value}.", "The {subject} may be rebooted {value}.",
         "{subject} window: {value}, sharp."),
        ("At what time may the {subject} be rebooted?", "Reboots at the {subject} happen when?"),
        ("Arrange a reboot at the {subject}.", "Reboot the {subject} in its slot."),
    ),
)  # fmt: skip

TOOLS = {
    "log": PlantedTool("journal_dump", "service", ("{slug}.service", "inet.service")),
    "json": PlantedTool("fetch_rows", "where", ("cage=##", "mode<>##", "tier=##")),
    "prose": PlantedTool("browse", "address", ("handbook/##", "faq/##", "protocols/##")),
    "code": PlantedTool("view_document", "name", ("deploy/bit##.yaml", "deploy/mod##.rb")),
    "table": PlantedTool("spread_cells", "grid", ("assets-##", "billing-##")),
    "shell": PlantedTool(
        "call_shell", "cmd", ("infra scan ##", "infra apply ##", "infra gather ##")
    ),
    "change": PlantedTool("rewrite_document", "name", ("deploy/{slug}.yaml",)),
}

PHRASES = {
    "harness": ("As infrastructure assistant, act via functions and respond shortly.",
                "Assist our platform group. Functions below may be called freely."),
    "opening": ("Kindly review our platform, several components switched hands.",
                "Our handbook aged badly; assist me while I refresh it."),
    "nudge": ("Carry on.", "Next, then.", "Fine by me, proceed."),
    "done": ("Completed.", "Sorted.", "Handled, proceeding."),
    "ending": ("Now draft the complete report.", "Compile every detail into a final overview."),
    "aside": ("Remember: {said}", "{said} Worth remembering.", "FYI, {said}"),
    "change": ("Update: {subject}, {label}, {value}. Effective immediately.",
               "We switched the {subject} {label}, {old} became {value}.",
               "Henceforth use {value} ({label}, {subject})."),
    "changed": ("{slug}.{key} switched, current {value}", "applied: {slug} {label} = {value}",
                "{slug} reports {label} {value} effective"),
    "inquiry": ("{subject}: {label} rejected as invalid. Substitute?",
                "May I have a fresh {label} for the {subject}?"),
    "current": ("{subject}: current {label}?", "What {label} applies at the {subject} today?"),
    "answer": ("{value}!", "Use {value}.", "Sure: {value}"),
    "rejected": ("Marketing wanted {value} as {subject} {label}. Denied, disregard it.",
                 "{value} got floated for the {subject} but never adopted."),
    "history": ("Back in Lisbon, the {subject} {label} used to be {value}, obsolete since.",
                "legacy ({subject}, 2016): {label} {value}, retired"),
    "sample": ("fictional {label} in tutorials: {value}", "placeholder {key} {value}, unused"),
}  # fmt: skip

HELD_OUT_WORDS = PlantedHalf(
    codenames=("Quill", "Rookery", "Saffron", "Thistle", "Umber", "Vellum", "Willow", "Xenon",
               "Yarrow", "Zephyr", "Marrow", "Pumice"),
    systems=("exporter", "proxy", "planner", "replica", "indexer", "kiosk", "turnstile",
             "helpdesk", "compiler", "warehouse"),
    kinds=KINDS,
    tables={
        "forename": ("Wanda", "Igor", "Leila", "Marta", "Ruben", "Sofie", "Kenji", "Thandi",
                     "Elias", "Yuki"),
        "surname": ("Kirsch", "Palmer", "Fontaine", "Ekdahl", "Achebe", "Novotny", "Silva",
                    "Tanaka", "Byrne", "Oduya"),
        "metal": ("cobalt", "nickel", "bismuth", "zinc"),
        "gem": ("opal", "beryl", "topaz", "onyx"),
        "compass": ("north", "south", "east", "west"),
        "tram": ("copper", "maroon", "teal", "ochre"),
        "weekday": ("Tuesdays", "Fridays", "Sundays"),
        "craft": ("plumbing", "masonry", "carpentry", "glazing", "wiring"),
        "approach": ("hourly takeover", "shadow traffic", "weekly uploads", "offline clients"),
        "matter": ("audit", "insurance", "immigration", "license", "tenancy"),
    },
    tools=TOOLS,
    phrases=PHRASES,
)  # fmt: skip
