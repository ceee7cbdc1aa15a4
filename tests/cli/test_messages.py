"""The command line shows the messages that the library logs."""

import importlib
import logging

from rbmle._io.log import log

command_line = importlib.import_module("rbmle.cli.main")  # `rbmle.cli.main` is also the function


def test_messages_are_shown_as_the_command_s_own(monkeypatch, capsys):
    def app(*args, **options):
        log.info("compiling %s (once)", "UCB for Bernoulli")
        log.debug("a thousand lines")

    monkeypatch.setattr(command_line, "app", app)
    before = list(log.handlers), log.level
    assert command_line.run([]) == 0
    assert capsys.readouterr() == ("", "rbmle: compiling UCB for Bernoulli (once)\n")
    assert (log.handlers, log.level) == before


def test_the_library_itself_only_has_a_handler_that_is_silent():
    assert [type(each) for each in log.handlers] == [logging.NullHandler]
    assert log is logging.getLogger("rbmle")
