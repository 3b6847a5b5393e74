"""The law *floor*: what is found while working displaces nothing of the project's own."""

import json
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import loom
from loom.capabilities.memory.guide import guide_key
from loom.live import Context
from loom.providers.counts import counter_for
from loom.redact import Redactor
from loom.replay.audit import Audit
from loom_bench.laws.lawful import Lawful
from loom_partitions import laws
from tests.kit.guides import named, repository, wrote


def test_the_law_sees_a_guide_displaced(ctx: Context, repo: Path) -> None:
    """A planted one; nothing is said where none was found, or it moved for a reason of its own."""
    before = ctx.window
    assert laws.floor(before, before.less("memory", "AGENTS.md")) == []
    wrote(repo / "sub" / "AGENTS.md", "theirs")
    named(ctx, "sub/a.py")
    after = ctx.window
    assert laws.floor(before, after) == []
    lost = after.less("memory", "AGENTS.md")
    assert laws.floor(before, lost) == ["AGENTS.md gave way to what was found while working"]
    assert laws.floor(before, lost, ["AGENTS.md"]) == []


FOLDERS = ("a", "a/b", "c", "c/d/e", "f", "made")
SIZES = (1, 40, 400, 3_000)
ACT = st.one_of(
    st.tuples(st.just("find"), st.sampled_from(FOLDERS), st.sampled_from(SIZES)),
    st.tuples(st.just("edit"), st.sampled_from(FOLDERS), st.sampled_from(SIZES)),
    st.tuples(st.just("own"), st.sampled_from(("", "work")), st.sampled_from(SIZES[:3])),
    st.tuples(st.just("resize"), st.just(""), st.sampled_from((4_096, 8_192, 64_000))),
    st.tuples(st.just("renew"), st.just(""), st.just(0)),
)


def lines(what: str, count: int) -> str:
    """A guide of so many lines, no two alike."""
    return "".join(f"- {what} {n}: always run step {n} of {what}.\n" for n in range(count))


@given(st.lists(ACT, max_size=10), st.sampled_from((4_096, 8_192, 32_000, 64_000)))
@example(acts=[("own", "", 40), ("resize", "", 4_096), ("find", "a", 1)], window=8_192)
@example(acts=[("own", "", 400), ("resize", "", 4_096)], window=32_000)
@settings(max_examples=25, suppress_health_check=list(HealthCheck))
def test_the_floor(
    tmp_path_factory: pytest.TempPathFactory, acts: list[tuple[str, str, int]], window: int
) -> None:
    """Whatever joins, in any order and size: each of the project's own stands as it stood."""
    top = tmp_path_factory.mktemp("floor").resolve()
    guides = {"AGENTS.md": lines("root", 12), "work/AGENTS.md": lines("work", 6)}
    repo = repository(top, guides)
    audit = Audit(counter_for(), Redactor(), sent=Lawful().check)
    with loom.open(
        top / "w", project=repo / "work", window=window, durable=False, on_cut=audit.cut,
        policy=loom.Policy(own_tools=False),
    ) as ctx:  # fmt: skip
        for number, (act, folder, size) in enumerate(acts):
            before, made = ctx.window, ctx.memory.merged.own
            if act in ("find", "edit", "own"):
                wrote(repo / folder / "AGENTS.md", lines(f"{act}{number}", size))
            elif act == "resize":
                with suppress(loom.OverCapacity):  # guides may take more than a small one has
                    ctx.resize(size)
            elif act == "renew":
                ctx.renew()
            if act == "find":
                id = f"c{ctx.window.history.next_id}"
                call = loom.ToolCall(id, "Read", json.dumps({"path": f"{repo}/{folder}/x.py"}))
                ctx.reply(loom.Reply((call,)))
                ctx.result(id, "ok")
            ctx.user("go on")
            audit.before(ctx)
            audit.after(ctx, ctx.turn())
            assert audit.findings.broken == 0, audit.findings.details
            if act in ("find", "edit"):
                assert ctx.memory.merged.own == made
                own = {guide_key(part.name) for part in made}
                assert (
                    laws.floor(before, ctx.window, {h.key for h in before.memory.current} - own)
                    == []
                )
