"""The folder of compiled code: private, pruned, repaired, and not needed for anything to work."""

from __future__ import annotations

import logging
import os
import pathlib
import re
import shutil
import subprocess
import sys
import textwrap
import time
from types import SimpleNamespace

import pytest
from numba.core.caching import FunctionCache
from numba.core.types import float64, int64

from rbmle._numba import cache as _cache
from rbmle._numba.cache import DiskCache

SOURCES = str(pathlib.Path(_cache.__file__).parents[2])
SLOW, HARMS = pytest.mark.slow, ("empty", "zeros", "bit")
on_posix = pytest.mark.skipif(os.name != "posix", reason="owners and modes are POSIX's")


@pytest.fixture
def root(tmp_path, monkeypatch):
    """A folder for compiled code that is not there yet."""
    monkeypatch.setenv("RBMLE_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def place() -> _cache.Place:
    _cache.digest_of_sources.cache_clear()
    return _cache.place.__wrapped__("0.0")


def python(code, folder=None, **changes):
    """Run the code in a new process. changes: environment variables; None removes one."""
    wanted = {"PYTHONPATH": SOURCES, "RBMLE_CACHE_DIR": folder and str(folder), **changes}
    environment = {**os.environ, **wanted}
    environment = {name: value for name, value in environment.items() if value is not None}
    command = [sys.executable, "-W", "error", "-c", textwrap.dedent(code)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done


class TestPlace:
    @on_posix
    def test_only_the_user_may_enter_it(self, root):
        folder = pathlib.Path(place().folder)
        assert folder.parent == root
        assert {each.stat().st_mode & 0o777 for each in (root, folder)} == {0o700}

    def test_each_state_of_the_sources_has_its_own(self, root, tmp_path, monkeypatch):
        """Numba's cache does not see an edit of a file that the function calls into."""
        sources = tmp_path / "package" / "room"
        sources.mkdir(parents=True)
        (sources / "called.py").write_text("x = 1\n")
        monkeypatch.setattr(_cache, "_PACKAGE", tmp_path / "package")
        before = place()
        assert place() == before
        (sources / "called.py").write_text("x = 2\n")
        assert place() != before

    def test_editing_what_is_never_compiled_keeps_it(self, root, tmp_path, monkeypatch):
        for room in sorted(_cache.NEVER_COMPILED):
            for file in (pathlib.Path(SOURCES) / "rbmle" / room).glob("*.py"):
                assert not re.search(r"@(kernel|lean|record|apart)\b", file.read_text()), file
        sources = tmp_path / "package" / "figures"
        sources.mkdir(parents=True)
        monkeypatch.setattr(_cache, "_PACKAGE", tmp_path / "package")
        before = place()
        (sources / "curves.py").write_text("x = 1\n")
        assert place() == before

    @on_posix
    @pytest.mark.parametrize("mode", [0o777, 0o1777, 0o770])
    def test_a_folder_that_others_may_write_to_is_refused(self, root, mode):
        root.mkdir()
        root.chmod(mode)
        assert place() == (None, f"others may write to {root}")
        assert not list(root.iterdir())

    @on_posix
    def test_a_folder_of_another_user_is_refused(self, root, monkeypatch):
        root.mkdir(mode=0o755)
        monkeypatch.setattr(os, "geteuid", lambda: root.stat().st_uid + 1)
        assert place() == (None, f"{root} belongs to another user")

    @on_posix
    def test_the_version_s_own_folder_is_looked_at_too(self, root, monkeypatch):
        pathlib.Path(place().folder).chmod(0o777)
        assert "others may write" in place().problem

    def test_what_is_in_the_way_is_said(self, root):
        root.write_text("a file")
        assert place().folder is None
        assert str(root) in place().problem

    @pytest.mark.parametrize("home", ["gone", None])
    def test_there_may_be_no_home_folder(self, home, tmp_path, monkeypatch):
        monkeypatch.delenv("RBMLE_CACHE_DIR", raising=False)

        def nobody():
            if home is None:
                raise RuntimeError("Could not determine home directory.")
            return tmp_path / home

        monkeypatch.setattr(pathlib.Path, "home", nobody)
        assert place().folder is None
        assert "no home folder" in place().problem
        assert not list(tmp_path.iterdir())

    @on_posix
    def test_the_usual_folder_is_made_private(self, tmp_path, monkeypatch):
        """Earlier versions made it with the user's umask."""
        monkeypatch.delenv("RBMLE_CACHE_DIR", raising=False)
        monkeypatch.setattr(pathlib.Path, "home", lambda: tmp_path)
        usual = tmp_path / ".cache" / "rbmle"
        usual.mkdir(parents=True)
        usual.chmod(0o775)
        assert pathlib.Path(place().folder).parent == usual
        assert usual.stat().st_mode & 0o777 == 0o700


class TestPruning:
    def age(self, folder, days):
        folder.mkdir(exist_ok=True)
        (folder / "code.nbc").write_bytes(b"")
        os.utime(folder, (time.time() - days * 86400,) * 2)
        return folder

    def test_versions_that_were_not_used_for_a_month_go(self, root):
        root.mkdir(mode=0o700)
        old = self.age(root / "0123456789abcdef", 31)
        older = self.age(root / "0123456789abcdef-0.60.0", 300)
        recent = self.age(root / "fedcba9876543210-0.60.0", 29)
        another = self.age(root / "my-results", 300)
        current = pathlib.Path(place().folder)
        assert set(root.iterdir()) == {recent, another, current}
        assert not old.exists()
        assert not older.exists()

    def test_what_is_used_is_not_old(self, root):
        current = self.age(pathlib.Path(place().folder), 300)
        assert place().folder == str(current)
        assert time.time() - current.stat().st_mtime < 60

    @on_posix
    def test_links_are_left_alone(self, root, tmp_path):
        root.mkdir(mode=0o700)
        elsewhere = self.age(tmp_path / "elsewhere", 300)
        (root / "0123456789abcdef").symlink_to(elsewhere)
        place()
        assert list(elsewhere.iterdir())


CODE = """
    import logging, sys
    logging.basicConfig(format="%(message)s", stream=sys.stdout)
    from rbmle.random import philox
    print(philox(1, 2, 3, 4, 5, 6))
    print(sum(philox.stats.cache_hits.values()), "from disk")
"""


def lines(folder):
    """The output of a process that calls one small compiled function of the package."""
    return python(CODE, folder).stdout.splitlines()


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A folder with intact files, and the output of the process that made them."""
    folder = tmp_path_factory.mktemp("cache")
    return folder, lines(folder)


class TestProcesses:
    def test_code_is_kept_for_the_next_process(self, kept):
        folder, first = kept
        again = lines(folder)
        assert first[-1] == "0 from disk"
        assert again[-1] == "1 from disk"
        assert first[:-1] == again[:-1]

    @pytest.mark.slow
    @pytest.mark.parametrize("kind", ["nbi", "nbc"])
    @pytest.mark.parametrize(
        "harm",
        ["cut", *(pytest.param(x, marks=pytest.mark.slow) for x in ("empty", "zeros", "bit"))],
    )
    def test_a_damaged_file_is_made_again_and_said_in_one_line(self, kept, root, kind, harm):
        folder, (sound, _) = kept
        shutil.copytree(folder, root)
        (file,) = root.rglob(f"philox.philox-*.{kind}")
        data = file.read_bytes()
        middle = len(data) // 2
        file.write_bytes(
            {
                "cut": data[:middle],
                "empty": b"",
                "zeros": data[:middle] + bytes(len(data) - middle),
                "bit": data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :],
            }[harm]
        )
        message, numbers, hits = lines(root)
        assert message.startswith("philox.philox-")
        assert "is compiled again: its file was damaged" in message
        assert (numbers, hits) == (sound, "0 from disk")
        if harm == "cut":
            assert lines(root) == [sound, "1 from disk"]

    @pytest.mark.slow
    def test_a_full_disk_is_no_error(self, root, monkeypatch):
        code = """
            from rbmle._numba import cache
            def full(self, sig, data): raise OSError(28, "No space left on device")
            cache.FunctionCache.save_overload = full
        """
        code = textwrap.dedent(code) + textwrap.dedent(CODE)
        message, _, hits = python(code, root).stdout.splitlines()
        assert message == "compiled code was not kept: [Errno 28] No space left on device"
        assert hits == "0 from disk"

    def test_nothing_is_kept_where_it_may_not_be(self, tmp_path):
        (tmp_path / "file").write_text("")
        assert lines(tmp_path / "file")[-1] == "0 from disk"

    @pytest.mark.slow
    @on_posix
    def test_there_may_be_neither_home_nor_name(self):
        """A process in a container may have a UID without home folder and user name."""
        code = """
            import pwd
            def unknown(uid): raise KeyError(uid)
            pwd.getpwuid = unknown
            from rbmle import UCB, Bernoulli, Problem, simulate
            import logging, sys
            logging.basicConfig(format="%(message)s", level="INFO", stream=sys.stdout)
            from rbmle.random import philox
            print(philox(1, 2, 3, 4, 5, 6))
            simulate(Problem(Bernoulli(), [0.2, 0.5]), [UCB()], 10, 1)
        """
        gone = dict.fromkeys(["HOME", "USER", "LOGNAME", "LNAME", "USERNAME", "RBMLE_CACHE_DIR"])
        _, message, compiling = python(code, **gone).stdout.splitlines()
        assert message.startswith("compiled code is not kept for the next run: there is no home")
        assert compiling == "compiling UCB for Bernoulli, once"


def test_the_reason_is_said_once(root, caplog):
    root.write_text("a file")
    _cache.place.cache_clear()
    _cache.explain.cache_clear()
    with caplog.at_level(logging.INFO, "rbmle"):
        for _ in range(2):
            _cache.explain("0.0")
    assert len(caplog.records) == 1
    assert "RBMLE_CACHE_DIR" in caplog.text
    _cache.place.cache_clear()
    _cache.explain.cache_clear()


def test_code_for_other_types_is_not_used(monkeypatch):
    """Two processes that save at once can give their code one name: Numba's index has no lock."""
    cache = object.__new__(DiskCache)
    stored = SimpleNamespace(signature=SimpleNamespace(args=(int64,)))
    monkeypatch.setattr(FunctionCache, "load_overload", lambda *_: stored)
    assert cache.load_overload((int64,), None) is stored
    assert cache.load_overload((float64,), None) is None
