"""`python -m benchmarks secrets`: does a secret rest, and what is replaced that is none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from benchmarks.options import FromOne, refuse
from benchmarks.secrets.clean import CleanText, ReplacedText, folders, recorded, replacements, texts
from benchmarks.secrets.decoys import looked
from benchmarks.secrets.matrix import (
    GENERATORS,
    MatrixColumn,
    columns,
    figures,
    makers,
    prepared,
)
from benchmarks.secrets.positions import POSITIONS
from benchmarks.secrets.report import cells, clean_line, clean_tables, tables
from benchmarks.secrets.speed import MEGABYTE, ORDINARY_MS, WORST_MS, timed, worst_texts
from benchmarks.show import Bar, end
from loom.redact import Redactor

PER = 20  # megabytes in which one replacement at most is
Places = Annotated[list[Path] | None, Parameter(consume_multiple=True, negative=())]


def secrets(
    dirs: Annotated[list[Path] | None, Parameter(name="DIR")] = None,
    /,
    *,
    seed: int = 1,
    kinds: str = "",
    positions: str = "",
    generator: Literal["first", "second"] = "first",
    workers: FromOne = 2,
    clean: Annotated[bool, Parameter(negative=())] = False,
    sessions: Places = None,
    json: Annotated[bool, Parameter(negative=())] = False,
) -> int:
    """Bring made secrets into a workspace by every way there is, and look for them on the disk.

    Parameters
    ----------
    dirs
        With --clean, folders whose texts are read; without any, the standard library's, numpy's
        and google-auth's.
    seed
        All secrets follow from it.
    kinds
        Kinds of secrets, separated by commas; without any, all of the generator.
    positions
        Names of positions, separated by commas; without any, all.
    generator
        Whose kinds: the first, of which 95 % of the cells must be clean, or the second, made by
        someone who has not read the rules, of which 90 % must be.
    workers
        Processes.
    clean
        Count what is replaced in texts that hold no secret and in decoys, and the time it takes.
    sessions
        With --clean, files or folders of recorded sessions, read beside the folders.
    json
        No tables, only the JSON line.
    """
    if (dirs or sessions) and not clean:
        return refuse("DIR and --sessions are for --clean")
    if clean:
        gone = [str(one) for one in (*(dirs or ()), *(sessions or ())) if not one.exists()]
        return refuse(f"{', '.join(gone)}: not there") if gone else _clean(dirs, sessions, json)
    try:
        known = makers(generator)
        chosen = _chosen("--kinds", kinds, known)
        placed = _chosen("--positions", positions, POSITIONS)
        prepared(generator, seed, tuple(chosen))
    except ValueError as error:
        return refuse(error)
    found: list[MatrixColumn] = []
    with Bar("secrets", len(placed)) as bar:
        for column in columns(generator, seed, chosen, placed, workers):
            bar.advance(1, f"{column.position}: {len(column.clean)}/{len(column.kinds)} clean")
            found.append(column)
    found.sort(key=lambda one: placed.index(one.position))
    report = {"generator": generator, "seed": seed, **figures(found)}
    end(report, [] if json else tables(report), "" if json else cells(report))
    return int(report["share"] < GENERATORS[generator][1])


def _chosen(option: str, given: str, known: Iterable[str]) -> list[str]:
    """Names separated by commas, all of them when none is given. Raises ValueError for others."""
    names = [name.strip() for name in given.split(",") if name.strip()] or list(known)
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ValueError(f"{option} {', '.join(unknown)}: there are {', '.join(known)}")
    return list(dict.fromkeys(names))


def _clean(dirs: Sequence[Path] | None, sessions: Sequence[Path] | None, json: bool) -> int:
    given = chain(texts(folders(dirs or ())), recorded(sessions or ()))
    worst = worst_texts()
    with Bar("clean", len(worst) + 2) as bar:
        report = measured(given)
        if not report["mb"]:
            return refuse("--clean: there is no text there, so nothing was shown")
        bar.advance(1, f"{report['mb']:.1f} MB: {report['replaced']} replaced")
        report["decoys"] = decoys = looked(Redactor())
        bar.advance(1, f"{decoys['tried']} decoys: {decoys['changed']} changed")
        report["worst_ms_per_mb"] = {}
        for name, text in worst.items():
            took = timed(Redactor(), text)[1] * MEGABYTE / len(text)
            report["worst_ms_per_mb"][name] = round(took, 1)
            bar.advance(1, f"{name}: {took:,.0f} ms")
    end(report, [] if json else clean_tables(report), "" if json else clean_line(report))
    slow = max(report["worst_ms_per_mb"].values()) > WORST_MS
    slow = slow or report["ordinary_ms_per_mb"] > ORDINARY_MS
    return int(report["per_20_mb"] > 1 or decoys["changed"] > 0 or slow)


def measured(given: Iterable[CleanText]) -> dict[str, Any]:
    """What the redactor replaces in texts, by source and each distinct text once, and its time."""
    redactor, took = Redactor(), 0.0
    sizes: Counter[str] = Counter()
    found: list[ReplacedText] = []
    for one in given:
        cleaned, spent = timed(redactor, one.text)
        took += spent
        sizes[one.source] += len(one.text.encode("utf-8", "surrogatepass"))
        if redactor.take():
            found += replacements(one, cleaned)
    own = [one for one in found if not one.real_looking]
    mb = sum(sizes.values()) / MEGABYTE
    return {
        "mb": round(mb, 2),
        "replaced": len(own),
        "per_20_mb": round(len(own) * PER / mb, 3) if mb else 0.0,
        "real_looking": len(found) - len(own),
        "sources": {
            source: {
                "mb": round(size / MEGABYTE, 2),
                "replaced": sum(one.source == source for one in own),
                "real_looking": sum(one.source == source and one.real_looking for one in found),
            }
            for source, size in sizes.items()
        },
        "hits": _distinct(own),
        "real_looking_hits": _distinct([one for one in found if one.real_looking]),
        "ordinary_ms_per_mb": round(took / mb, 1) if mb else 0.0,
    }


def _distinct(found: Sequence[ReplacedText]) -> list[dict[str, Any]]:
    times = Counter((one.kind, one.text) for one in found)
    first = {(one.kind, one.text): one for one in reversed(found)}
    return [
        {
            "kind": kind,
            "times": count,
            "place": first[kind, text].place,
            "context": first[kind, text].context,
        }
        for (kind, text), count in times.items()
    ]
