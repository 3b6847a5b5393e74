"""The matrix of secrets and the clean sources as tables of at most 80 columns."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from textwrap import wrap
from typing import Any

from rich.table import Table

from loom.bench.tables import table

WIDTH = 78
NAME = 26  # letters of a kind or a position
MOST = 15  # rows of the worst
SHOWN = 40  # hits


def tables(report: Mapping[str, Any]) -> list[Table]:
    """The worst positions and the worst kinds, by how many of their cells are clean."""
    return [
        _worst("Positions that leak", "position", report["by_position"]),
        _worst("Kinds that leak", "kind", report["by_kind"]),
    ]


def _worst(title: str, head: str, shares: Mapping[str, list[int]]) -> Table:
    leaking = sorted(
        ((clean / tried, name, clean, tried) for name, (clean, tried) in shares.items() if tried),
    )
    rows = [
        [name[:NAME], f"{clean}/{tried}", f"{share:.1%}"]
        for share, name, clean, tried in leaking
        if clean < tried
    ]
    more = f" ({MOST} of {len(rows)})" if len(rows) > MOST else ""
    return table(f"{title}{more}", [head, "clean", "share"], rows[:MOST])


def cells(report: Mapping[str, Any]) -> str:
    """The share, the kinds that leak in most positions, and for each position which others do."""
    said = [
        f"{report['share']:.2%} of {report['cells']:,} cells clean "
        f"({report['kinds']} kinds, {report['positions']} positions)"
    ]
    mostly = [kind for kind, (clean, tried) in report["by_kind"].items() if clean * 2 < tried]
    if mostly:
        said += _folded(f"leak in most positions: {', '.join(mostly)}")
    for position, kinds in report["leaks"].items():
        said += _folded(f"{position}: {_those(kinds, mostly)}")
    for position, kinds in report["failed"].items():
        said += _folded(f"{position} FAILED: {_those(kinds, ())}: {next(iter(kinds.values()))}")
    return "\n".join(said)


def _those(kinds: Collection[str], mostly: Collection[str]) -> str:
    """Kinds by name, of those that leak in most positions how many."""
    named = [kind for kind in kinds if kind not in mostly]
    count = len(kinds) - len(named)
    return ", ".join([*named, *([f"{count} of those"] if count else [])])


def _folded(text: str) -> Iterable[str]:
    return wrap(text, WIDTH, subsequent_indent="    ", break_on_hyphens=False)


def clean_tables(report: Mapping[str, Any]) -> list[Table]:
    """What was replaced in ordinary sources, each distinct text once, and the time it takes."""
    sources = [
        [name, f"{one['mb']:.1f}", one["replaced"], one["real_looking"]]
        for name, one in report["sources"].items()
    ]
    worst = [[name, f"{ms:,.0f}"] for name, ms in report["worst_ms_per_mb"].items()]
    made = [
        table("Sources", ["source", "MB", "replaced", "real-looking"], sources),
        _hits("Replaced", report["hits"]),
        table("Decoys changed", ["kind", "becomes"], _changed(report["decoys"]["kinds"])),
        _hits("Real-looking, in test data or sessions", report["real_looking_hits"]),
        table("Time of worst texts", ["a megabyte of", "ms"], worst),
    ]
    return [one for one in made if one.row_count]


def _hits(title: str, found: Sequence[Mapping[str, Any]]) -> Table:
    """Each distinct text that was replaced, with the letters before it."""
    rows = [[one["kind"][:NAME], one["times"], one["context"]] for one in found]
    more = f" ({SHOWN} of {len(rows)})" if len(rows) > SHOWN else ""
    return table(f"{title}{more}", ["kind", "times", "context"], rows[:SHOWN])


def _changed(kinds: Mapping[str, str]) -> list[list[str]]:
    """Each kind of decoy that is changed, and what one of them becomes."""
    return [[kind[:NAME], " ".join(text.split())[:SHOWN]] for kind, text in kinds.items()]


def clean_line(report: Mapping[str, Any]) -> str:
    """The figures of the clean sources in a sentence."""
    return (
        f"{report['replaced']} replacements in {report['mb']:.1f} MB "
        f"({report['per_20_mb']:.2f} per 20 MB), {report['real_looking']} of real-looking secrets "
        "beside them\n"
        f"{report['decoys']['changed']} of {report['decoys']['tried']} decoys changed\n"
        f"ordinary text {report['ordinary_ms_per_mb']:.0f} ms per MB, the "
        f"worst {max(report['worst_ms_per_mb'].values()):,.0f}"
    )
