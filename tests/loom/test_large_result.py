"""A large result takes a few times its size of memory, whatever is in it."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.kit.cases import all_cases, some

ROOT = Path(__file__).parents[2]
SIZE, TIMES = 8_000_000, 10
# Of a process of its own: the peak is read of the kernel, with what libraries take.
SCRIPT = """
import base64, json, re, sys
from pathlib import Path
import loom

def peak():
    return int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) * 1024

def log(at):
    return f"2026-11-28T12:00:{at % 60:02} INFO worker {at} took request {at * 7919 % 99991}\\n"

kind, size, folder = sys.argv[1], int(sys.argv[2]), sys.argv[3]
kinds = {
    "log": lambda: "".join(map(log, range(size // 60))),
    "json": lambda: json.dumps(
        [{"id": at, "name": f"item {at}", "path": f"/a/{at}.csv"} for at in range(size // 58)]
    ),
    "run": lambda: "x" * size,
    "base64": lambda: base64.encodebytes(bytes(range(256)) * (size // 350)).decode(),
    "foreign": lambda: "строка журнала — готово\\n" * (size // 42),
    "escapes": lambda: '{\\\\"a\\\\":\\\\"b\\\\\\\\n\\\\"} ' * (size // 18),
    "words": lambda: "word " * (size // 5),
    "colours": lambda: "\\x1b[32mok\\x1b[0m line of it\\n" * (size // 24),
}
with loom.open(folder, goal="g", window=32_000, durable=False) as ctx:
    ctx.user("go")
    ctx.turn()
    ctx.reply(loom.Reply((loom.ToolCall("c1", "Bash", '{"command":"cat large"}'),)))
    text = kinds[kind]()
    Path("/proc/self/clear_refs").write_text("5")
    before = peak()
    ctx.result("c1", text)
    ctx.turn()
    assert str(ctx.page_in("step_0001"))
    print((peak() - before) / len(text.encode()))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads the peak of /proc")
@all_cases(
    "kind", some(["log", "json", "run", "base64", "foreign", "escapes", "words", "colours"], 2)
)
def test_memory_of_a_large_result(tmp_path: Path, kind: str) -> None:
    """Redacted, counted, made short, paged, shown and looked up again."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, kind, str(SIZE), str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env={"PYTHONPATH": f"{ROOT}:{ROOT / 'partitions'}:{ROOT / 'paging'}"},
    )
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) <= TIMES
