"""The command line shows the messages that the library logs."""

import logging

import typer

from rbmle._io.machine import log
from rbmle.cli.main import run


def test_messages_are_shown_as_the_command_s_own(capsys):
    app = typer.Typer(add_completion=False)

    @app.command()
    def talk():
        log.info("compiling %s, once", "UCB for Bernoulli")
        log.debug("a thousand lines")

    before = list(log.handlers), log.level
    assert run([], app) == 0
    assert capsys.readouterr() == ("", "rbmle: compiling UCB for Bernoulli, once\n")
    assert (log.handlers, log.level) == before


def test_the_library_itself_only_has_a_handler_that_is_silent():
    assert [type(each) for each in log.handlers] == [logging.NullHandler]
    assert log is logging.getLogger("rbmle")
