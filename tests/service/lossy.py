"""A connection to PostgreSQL that can lose answers: what is sent arrives, nothing comes back."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress


class LossyConnection:
    """Listens on a socket in one folder, and passes everything on to the one in another."""

    def __init__(self, folder: str, to: str) -> None:
        self._to, self._lost = f"{to}/.s.PGSQL.5432", b""
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(f"{folder}/.s.PGSQL.5432")
        self._listening.listen()
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    def lose_answer_to(self, word: bytes | None) -> None:
        """From the next message with this word on, the connection that sent it gets no answer."""
        self._lost = word or b""

    def close(self) -> None:
        with suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._listening.close()

    def _accept(self) -> None:
        while True:
            try:
                client = self._listening.accept()[0]
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            server.connect(self._to)
            silent = threading.Event()
            for source, target, answers in ((client, server, False), (server, client, True)):
                passing = threading.Thread(
                    target=self._pass, args=(source, target, answers, silent), daemon=True
                )
                passing.start()

    def _pass(
        self, source: socket.socket, target: socket.socket, answers: bool, silent: threading.Event
    ) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                if not answers and self._lost and self._lost in data:
                    silent.set()
                if not (answers and silent.is_set()):
                    target.sendall(data)
        for each in (source, target):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        source.close()
