"""What an object store logs while it is waited for, on stderr."""

from __future__ import annotations

import logging

import pytest

from loom.cli.elsewhere import LOGGER, told_waits

TEXT = "s3://b: cannot list log yet: no answer; trying again"


def test_nothing_is_told_outside_of_a_command(capsys: pytest.CaptureFixture[str]) -> None:
    """A host that uses the library alone has its own handlers, and its own level."""
    logger = logging.getLogger(LOGGER)
    before = logger.level, list(logger.handlers)
    with told_waits():
        assert len(logger.handlers) == len(before[1]) + 1
    assert (logger.level, logger.handlers) == before
    logger.info(TEXT)
    assert capsys.readouterr().err == ""


def test_a_failed_try_is_told_as_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    """With what the store says, without what could steer a terminal."""
    with told_waits():
        logging.getLogger(LOGGER).info("%s: cannot list log yet: %s", "s3://b", "\x1b[2J")
    err = capsys.readouterr().err
    assert err.startswith("loom: s3://b: cannot list log yet: ") and "\x1b" not in err
