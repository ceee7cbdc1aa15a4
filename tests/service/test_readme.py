"""README's lines for the service as a user pastes them, and an image with a warm cache."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest
from served import Service, free_port

README = Path(__file__).parents[2] / "README.md"


@pytest.mark.slow
def test_its_lines_work_when_they_are_pasted_together(tmp_path: Path) -> None:
    """All at once, in an empty folder, with nothing compiled: what comes first is awaited."""
    (lines,) = re.findall(r"```sh\n(rbmle serve .*?)```", README.read_text(), re.DOTALL)
    script = lines.replace(":8000", f":{free_port()}").replace(
        "rbmle serve", f"{sys.executable} -m rbmle serve --port PORT"
    )
    port = re.search(r":(\d+)/readyz", script)
    assert port is not None
    script = script.replace("PORT", port[1]) + "\nkill %1; wait\n"
    environment = os.environ | {"RBMLE_CACHE_DIR": str(tmp_path / "cache")}
    told = subprocess.run(
        ["bash", "-m", "-c", script], cwd=tmp_path, env=environment, capture_output=True,
        text=True, timeout=300, check=False,
    )  # fmt: skip
    assert '"compiling":{"kind":"RBMLE for Bernoulli","seconds":' in told.stdout
    assert re.search(r'{"id":"visit-7","arm":"[ab]","t":1,"probability":1.0}', told.stdout), told
    assert '{"counted":true}' in told.stdout
    assert "error" not in told.stdout


def warm(cache: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "rbmle", "service", "warm", *options],
        env=os.environ | {"RBMLE_CACHE_DIR": str(cache)}, capture_output=True, text=True,
        timeout=120, check=False,
    )  # fmt: skip


@pytest.mark.slow
def test_a_warm_cache_spares_the_service_the_compiler(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache, url = tmp_path / "cache", f"sqlite:///{tmp_path}/rbmle.db"
    told = warm(cache, "--policy", "ucb(alpha=1)")
    assert re.fullmatch(
        r"\[1/1\] UCB for Bernoulli: compiling ...\n\[1/1\] UCB for Bernoulli: ready after .* s\n",
        told.stdout,
    )
    compiled = sorted(cache.rglob("*.nbc"))
    assert compiled
    monkeypatch.setenv("RBMLE_CACHE_DIR", str(cache))
    body = {"arms": ["x", "y"], "policy": "ucb", "family": "bernoulli", "seed": 3}
    with Service(url, workers=1) as service:
        address = f"{service.address}/v1/experiments/shop"
        while "compiling" in httpx.put(address, json=body, timeout=60.0).json():
            time.sleep(0.1)
        assert httpx.post(f"{address}/decisions", timeout=60.0).json()["t"] == 1
    assert sorted(cache.rglob("*.nbc")) == compiled  # nothing was missing
    again = warm(cache, "--database", url)
    assert "UCB for Bernoulli" in again.stdout
    assert sorted(cache.rglob("*.nbc")) == compiled


@pytest.mark.slow
def test_what_cannot_be_warmed_is_a_sentence(tmp_path: Path) -> None:
    told = warm(tmp_path / "cache", "--database", f"sqlite:///{tmp_path}/none.db")
    assert (told.returncode, told.stdout) == (2, "")
    assert "there is no such file" in told.stderr
    told = warm(tmp_path / "cache", "--policy", "usb")
    assert told.returncode == 2
    assert "'policy' must be" in told.stderr


@pytest.mark.slow
def test_a_signal_ends_a_service_that_compiles(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RBMLE_CACHE_DIR", str(tmp_path / "cache"))
    with Service(f"sqlite:///{tmp_path}/rbmle.db", workers=1) as service:
        body = {"arms": ["a", "b"], "policy": "ids", "family": "bernoulli"}
        told = httpx.put(f"{service.address}/v1/experiments/x", json=body, timeout=60.0)
        assert told.json()["compiling"]["kind"] == "IDS for Bernoulli"
        begin = time.monotonic()
        assert service.stop() == 0
        assert time.monotonic() - begin < 10.0
