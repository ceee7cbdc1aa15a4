"""The steps of the Dockerfile in a fresh environment, then README's curl lines.

Docker is not needed: `deploy/install.sh`, by which the image is made, installs into a new folder,
and the service is started with the image's variables and compose's command.
"""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest
import yaml

ROOT = Path(__file__).parents[2]
DOCKERFILE = (ROOT / "Dockerfile").read_text()
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text())
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="the image is Linux"),
]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def variables() -> dict[str, str]:
    """Those of the image."""
    (line,) = re.findall(r"(?ms)^ENV (PATH=.*?[^\\])$", DOCKERFILE)
    return dict(each.split("=", 1) for each in line.replace("\\\n", " ").split())


def test_the_image_without_docker(tmp_path: Path) -> None:
    target, port = tmp_path / "opt", free_port()
    (step,) = re.findall(r"(?m)^RUN (deploy/install.sh) /opt/rbmle$", DOCKERFILE)
    subprocess.run([ROOT / step, target, sys.executable], check=True)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment |= variables() | {
        "PATH": f"{target}/bin:{os.environ['PATH']}",
        "RBMLE_CACHE_DIR": str(tmp_path / "cache"),
    }
    assert "NUMBA_CPU_NAME" in environment
    del environment["RBMLE_DATABASE"]
    run = {"cwd": tmp_path, "env": environment, "text": True}
    readme = (ROOT / "README.md").read_text()
    (lines,) = re.findall(r"```sh\n(rbmle serve .*?)```", readme, re.DOTALL)
    (policy,) = re.findall(r'"policy": "(\w+)"', lines)
    # What README's experiment needs; the image also warms what is common.
    subprocess.run(["rbmle", "service", "warm", "--policy", policy], check=True, **run)
    environment["RBMLE_DATABASE"] = f"sqlite:///{tmp_path}/rbmle.db"
    command = ["rbmle", *COMPOSE["services"]["service"]["command"], "--port", str(port)]
    compiled = sorted((tmp_path / "cache").rglob("*.nbc"))
    assert compiled
    served = subprocess.Popen(command, stdout=subprocess.DEVNULL, **run)
    try:
        curls = lines[lines.index("curl") :]
        told = subprocess.run(
            ["bash", "-ec", curls.replace(":8000", f":{port}")],
            cwd=tmp_path, capture_output=True, text=True, timeout=120, check=True,
        ).stdout  # fmt: skip
        assert re.search(r'"id":"visit-7","arm":"[ab]","t":1', told)
        assert '"counted":true' in told
        check_probes(port)
        check_board(port)
    finally:
        served.terminate()
        assert served.wait(15) == 0
    assert sorted((tmp_path / "cache").rglob("*.nbc")) == compiled  # nothing was missing


def check_probes(port: int) -> None:
    """The probes of the image and of Kubernetes; and without keys no other host is let in."""
    (probe,) = re.findall(r"(?m)^HEALTHCHECK .*CMD (\[.*\])$", DOCKERFILE)
    python, *code = json.loads(probe.replace(":8000", f":{port}"))
    assert python == "python"
    subprocess.run([sys.executable, *code], check=True)
    address = f"http://127.0.0.1:{port}"
    assert httpx.get(f"{address}/readyz").status_code == 200
    assert (
        httpx.get(f"{address}/v1/experiments", headers={"Host": "evil.example"}).status_code == 403
    )


def check_board(port: int) -> None:
    """Every metric that the board asks for is told, by any worker within seconds: what it tells of
    the others is up to a second old."""
    board = (ROOT / "deploy" / "grafana.json").read_text()
    missing = asked = set(re.findall(r"\brbmle_\w+", board))
    assert len(asked) > 10
    end = time.monotonic() + 10.0
    while missing and time.monotonic() < end:
        told = httpx.get(f"http://127.0.0.1:{port}/metrics").text
        missing = asked - set(re.findall(r"(?m)^(rbmle_\w+)", told))
    assert sorted(missing) == []
