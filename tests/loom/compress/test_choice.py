"""What an entry may be lowered to, what is taken, and digests of scattered entries."""

import json

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

import loom
from loom.compress.auto import digest_bounds, fold_into_digest
from loom.compress.choice import Choices, _option_to_stay
from loom.compress.cut_input import CutInput
from loom.compress.slicing import current_units_of
from loom_partitions import laws
from loom_partitions.edits import Folded, apply_edits
from loom_partitions.message import Digest, Step, UserTurn
from loom_partitions.stream import Stream
from tests.kit.opened import Open
from tests.kit.scene import scene
from tests.kit.step import step

KINDS = st.lists(
    st.tuples(st.sampled_from(["Read", "Bash", "Edit", "user", "say"]), st.integers(1, 90)),
    min_size=5,
    max_size=14,
)
RULES = settings(max_examples=10, suppress_health_check=list(HealthCheck))


def filled(ctx: loom.Context, kinds: list[tuple[str, int]]) -> None:
    """A session of these acts, and three steps that are recent."""
    for number, (kind, size) in enumerate(kinds):
        text = "".join(f"{kind}_{number} has a line_{n} of its own\n" for n in range(size))
        if kind == "user":
            ctx.user(text)
        elif kind == "say":
            ctx.reply(text)
        else:
            args = {"path": f"f{number % 3}.py", "old_string": "x", "new_string": text}
            args = args if kind == "Edit" else {"path": f"f{number % 3}.py", "command": text[:20]}
            step(ctx, text, tool=kind, args=json.dumps(args))
    for _ in range(3):
        step(ctx, "ok")


def entries(scene: CutInput) -> list[UserTurn | Step]:
    """The old entries that are no digest."""
    return [entry for entry in scene.old if not isinstance(entry, Digest)]


@given(KINDS)
@RULES
def test_an_entry_stays_as_it_is_or_as_its_slices(
    opened: Open, kinds: list[tuple[str, int]]
) -> None:
    """As its slices where some are superseded, or where that is less; worth something."""
    ctx = opened(window=64_000)
    filled(ctx, kinds)
    seen = scene(ctx)
    old = entries(seen)
    assert old
    for entry in old:
        units = current_units_of(seen, entry)
        option = _option_to_stay(seen, entry, units)
        assert option is not None and option.tokens > 0 and option.worth > 0
        if units != seen.catalog.of_entry[entry.id]:
            assert option.slices  # it shows what is superseded
        elif option.slices:
            assert option.tokens < entry.tokens
        else:
            assert option.tokens == entry.tokens


def test_numbered_lines_may_stand_without_numbers(opened: Open) -> None:
    """An entry with line numbers stays as the same lines without them."""
    ctx = opened(window=64_000)
    text = "".join(f"{n:6d}→value_{n} = {n}\n" for n in range(1, 91))
    id = step(ctx, text, tool="Read", args='{"path": "a.py"}')
    filled(ctx, [])
    seen = scene(ctx)
    entry = next(entry for entry in entries(seen) if entry.id == id)
    bare = _option_to_stay(seen, entry, current_units_of(seen, entry))
    assert bare is not None and bare.slices and bare.tokens < entry.tokens
    (now,) = apply_edits([entry], Choices(seen, entries(seen)).fit(bare.tokens).edits, 0)
    said = now.outcomes[0].text.body
    assert (
        said
        == f"[line 1 of the file {ctx.window.config.mark}]\n"
        + "".join(f"value_{n} = {n}\n" for n in range(1, 91))[:-1]
    )
    assert now.tokens <= bare.tokens


def test_what_an_edit_changed_may_not_stand_as_it_was(opened: Open) -> None:
    """Of an entry that shows lines as they were before an edit those slices leave."""
    ctx = opened(window=64_000)
    text = "".join(f"value_{n} = {n}\n" for n in range(1, 91))
    id = step(ctx, text, tool="Read", args='{"path": "a.py"}')
    edit = {"path": "a.py", "old_string": "value_7 = 7", "new_string": "value_7 = 8"}
    step(ctx, "ok", tool="Edit", args=json.dumps(edit))
    filled(ctx, [])
    seen = scene(ctx)
    entry = next(entry for entry in entries(seen) if entry.id == id)
    option = _option_to_stay(seen, entry, current_units_of(seen, entry))
    assert option is not None and option.slices
    (now,) = apply_edits([entry], Choices(seen, entries(seen)).fit(1_000_000).edits, 0)
    assert "value_7 = 7\n" not in str(now.outcomes[0].text.body)
    assert "value_80 = 80" in str(now.outcomes[0].text.body)


@given(KINDS, st.integers(0, 3_000))
@RULES
def test_what_the_user_said_leaves_in_order(
    opened: Open, kinds: list[tuple[str, int]], room: int
) -> None:
    """No message of the user stays from before one that leaves."""
    ctx = opened(window=64_000)
    filled(ctx, [part for kind in kinds for part in (kind, ("user", kind[1]))])
    seen = scene(ctx)
    old = entries(seen)
    made = Choices(seen, old).fit(room)
    said = [entry.id in made.out for entry in old if isinstance(entry, UserTurn)]
    assert said == sorted(said, reverse=True)


@given(KINDS, st.integers(0, 3_000))
@RULES
def test_chosen_fits(opened: Open, kinds: list[tuple[str, int]], room: int) -> None:
    """What stays is planned within the room; each entry is out, edited, or as it was."""
    ctx = opened(window=64_000)
    filled(ctx, kinds)
    seen = scene(ctx)
    old = entries(seen)
    made = Choices(seen, old).fit(room)
    edited = {edit.entry for edit in made.edits if not isinstance(edit, Folded)}
    assert not edited & set(made.out)
    after = apply_edits([entry for entry in old if entry.id not in made.out], made.edits, 0)
    for was, now in zip([e for e in old if e.id not in made.out], after, strict=True):
        assert (now.tokens < was.tokens) is (was.id in edited)
    assert sum(entry.tokens for entry in after) <= room


@given(KINDS, st.data())
@RULES
def test_a_digest_of_scattered_entries(
    opened: Open, kinds: list[tuple[str, int]], data: st.DataObject
) -> None:
    """Kept entries stand behind the digest in order, and a second fold takes the first one in."""
    ctx = opened(window=64_000)
    filled(ctx, kinds)
    seen = scene(ctx)
    gone = data.draw(st.sets(st.sampled_from(entries(seen)).map(lambda e: e.id), min_size=1))
    edits = fold_into_digest(
        seen, [entry for entry in seen.entries if entry.id in gone], digest_bounds(seen)
    )
    items = apply_edits(ctx.window.history.stream, edits, 0)
    kept = [entry.id for entry in seen.entries if entry.id not in gone]
    assert [item.id for item in items if not isinstance(item, Digest)] == kept
    (digest,) = [item for item in items if isinstance(item, Digest)]
    assert items.index(digest) == sum(id < min(gone) for id in kept)
    assert digest.steps + digest.users == len(gone)
    assert (digest.first, digest.last) == (min(gone), max(gone))
    stream = Stream.of(items, ctx.window.limits.run)
    after = replace(ctx.window, history=replace(ctx.window.history, stream=stream))
    assert [*laws.ordered(after), *laws.paired(after), *laws.counted(after)] == []


@given(KINDS, st.lists(st.integers(0, 3_000), min_size=1, max_size=4))
@RULES
def test_rooms_are_tried_as_if_alone(
    opened: Open, kinds: list[tuple[str, int]], rooms: list[int]
) -> None:
    """Each of several rooms is filled as it would be alone."""
    ctx = opened(window=64_000)
    filled(ctx, kinds)
    seen = scene(ctx)
    choices = Choices(seen, entries(seen))
    for room in rooms:
        assert choices.fit(room) == Choices(scene(ctx), entries(seen)).fit(room)
