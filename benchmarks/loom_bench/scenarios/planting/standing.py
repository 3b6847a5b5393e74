"""The words of `handover`, by halves: rules, returns, failures; what was done, decided, left."""

from __future__ import annotations

from loom_bench.scenarios.planting.kinds import PlantedKind

PUBLIC_PHRASES = {
    "lay": ("One rule: {rule}", "{rule} That holds throughout.", "Mind this, please. {rule}"),
    "rule": ("Never restart the {subject} yourself.",
             "Do not delete anything of the {subject}.",
             "Write to me first whenever the {subject} needs money.",
             "Keep the words of the {subject} screens in small letters."),
    "lift": ("Forget the rule on the {subject}, it no longer holds.",
             "The {subject} rule is off, you are free there."),
    "return": ("Good morning, I was ill since Monday. Where were we?",
               "I spent four days in the mountains. What is the state of play?"),
    "account": ("This is how things stand.", "We stand as follows, after my notes."),
    "resume": ("Good, then let us pick it up again.", "Right, start with the small ones."),
    "check": ("opsctl verify {slug}", "make smoke SYSTEM={slug}"),
    "broken": ("FAILED {slug}: {number} entries differ",
               "{slug} refused: pass {number} is too old"),
    "exit": ("exit 3", "make: *** smoke, 2 in all"),
    "passed": ("{slug}: all entries same", "smoke ok"),
}  # fmt: skip
PUBLIC_KINDS = {
    "done": PlantedKind(
        "finished piece", "finished", "the {part} on shelf 3##",
        ("Finished at the {subject}: {value}.", "I have replaced {value}, for the {subject}."),
        ("What has been finished at the {subject}?", "Which piece did we replace, {subject}?"),
        ("Bill what was replaced at the {subject}.",),
    ),
    "decided": PlantedKind(
        "choice", "choice", "{option} in wave ##",
        ("We choose {value} for the {subject}.", "For the {subject} it will be {value}."),
        ("What did we choose for the {subject}?", "How will the {subject} be brought out?"),
        ("Prepare what we chose for the {subject}.",),
    ),
    "open": PlantedKind(
        "leftover", "leftover", "page 4## of the {paper}",
        ("Left for another day at the {subject}: {value}.", "{subject}: {value} is unfinished."),
        ("What is unfinished at the {subject}?", "What did we leave at the {subject}?"),
        ("Finish what we left at the {subject}.",),
    ),
}  # fmt: skip
HELD_OUT_PHRASES = {
    "lay": ("Policy: {rule}", "{rule} Applies until revoked.", "Strictly observe: {rule}"),
    "rule": ("You must document every action concerning the {subject}.",
             "Nobody touches the {subject} overnight.",
             "Avoid naming clients inside {subject} reports.",
             "Always use metric units around the {subject}."),
    "lift": ("{subject}: policy revoked.", "I hereby cancel that policy about the {subject}."),
    "return": ("Hello, my holiday ended. Catch me up?",
               "Hi! Having missed an entire week, brief me: status?"),
    "account": ("Current status below.", "To catch up:"),
    "resume": ("Excellent, continue.", "Alright, resume."),
    "check": ("infra validate {slug}", "gradlew probe{slug}"),
    "broken": ("ERROR {slug} quorum lost, epoch {number}", "{slug} timeout: attempt {number}"),
    "exit": ("terminated, code 17", "BUILD UNSUCCESSFUL"),
    "passed": ("{slug} healthy", "BUILD SUCCESSFUL"),
}  # fmt: skip
HELD_OUT_KINDS = {
    "done": PlantedKind(
        "delivered goods", "delivered", "{craft} phase 8##",
        ("Delivered, {subject}: {value}.", "{value} got delivered ({subject})."),
        ("What got delivered, {subject}?",),
        ("Invoice delivered {subject} goods.",),
    ),
    "decided": PlantedKind(
        "verdict", "verdict", "{approach} until step ##",
        ("Verdict about the {subject}: {value}.", "{subject}, settled: {value}."),
        ("What verdict fell about the {subject}?", "What got settled, {subject}?"),
        ("Implement our {subject} verdict.",),
    ),
    "open": PlantedKind(
        "pending matter", "pending", "{matter} case 5##",
        ("Pending, {subject}: {value}.", "{value} awaits us ({subject})."),
        ("What matter awaits us, {subject}?", "What is pending, {subject}?"),
        ("Tackle pending {subject} matters.",),
    ),
}  # fmt: skip
WORDING = ((PUBLIC_PHRASES, PUBLIC_KINDS), (HELD_OUT_PHRASES, HELD_OUT_KINDS))
