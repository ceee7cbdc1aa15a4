"""The files for a deployment, checked as far as that can be done without Docker and a cluster."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer import Context
from typer.main import get_command

from rbmle.cli.options import app
from rbmle.service.meters import Meters

ROOT = Path(__file__).parents[2]
DOCKERFILE = (ROOT / "Dockerfile").read_text()
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())
KINDS: dict[str, Any] = {
    each["kind"]: each
    for each in yaml.safe_load_all((ROOT / "deploy" / "kubernetes.yaml").read_text())
}
POD = KINDS["Deployment"]["spec"]["template"]["spec"]
UNIT = ROOT / "deploy" / "rbmle.service"


def stages() -> list[str]:
    return re.split(r"(?m)^(?=FROM )", DOCKERFILE)[1:]


@pytest.mark.skipif(sys.platform != "linux", reason="there is no hadolint here")
def test_hadolint_finds_nothing() -> None:
    program = shutil.which("hadolint") or Path(sys.executable).with_name("hadolint")
    told = subprocess.run([program, ROOT / "Dockerfile"], capture_output=True, text=True)
    assert (told.returncode, told.stdout) == (0, "")


def test_the_image_is_small_and_not_roots() -> None:
    """The sources stay in the first stage; the user that warms the cache is the one that serves."""
    build, image = stages()
    assert re.match(r"FROM python:3\.\d+\.\d+-slim-\w+ AS build\n", build)
    assert re.match(r"FROM python:3\.\d+\.\d+-slim-\w+\n", image)
    assert "COPY --from=build /opt/rbmle /opt/rbmle" in image
    assert re.findall(r"(?m)^USER (.*)", image) == ["10001"]
    after = image.split("USER 10001")[1]
    assert "rbmle service warm" in after  # by the user whose cache it is
    assert re.search(r"(?m)^HEALTHCHECK .*CMD \[", after)
    assert re.search(r"(?m)^CMD \[", after)


def test_the_context_of_the_image_has_what_it_copies_alone() -> None:
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    assert ignored[0] == "*"
    copied = {
        each.rstrip("/")
        for line in re.findall(r"(?m)^COPY (?!--from)(.*) \S+$", DOCKERFILE)
        for each in line.split()
    }
    assert copied == {each[1:] for each in ignored if each.startswith("!")}
    assert all((ROOT / each).exists() for each in copied)


def test_compose_opens_no_port_to_others() -> None:
    service, database = COMPOSE["services"]["service"], COMPOSE["services"]["database"]
    assert service["ports"] == ["127.0.0.1:8000:8000"]
    assert "ports" not in database
    assert "--without-keys" in service["command"]
    assert service["depends_on"]["database"]["condition"] == "service_healthy"
    assert "@database/" in service["environment"]["RBMLE_DATABASE"]
    assert re.fullmatch(r"postgres:\d+\.\d+-\w+", database["image"])


def test_kubernetes_has_two_replicas_and_probes() -> None:
    deployment, (container,) = KINDS["Deployment"]["spec"], POD["containers"]
    assert deployment["replicas"] == 2
    labels = deployment["selector"]["matchLabels"]
    assert labels == deployment["template"]["metadata"]["labels"]
    assert labels == KINDS["Service"]["spec"]["selector"]
    assert labels == KINDS["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"]
    probes = {name: container[f"{name}Probe"]["httpGet"] for name in ("startup", "readiness")}
    assert {each["path"] for each in probes.values()} == {"/readyz"}
    assert container["livenessProbe"]["httpGet"]["path"] == "/healthz"
    (port,) = container["ports"]
    assert {each["port"] for each in probes.values()} == {port["name"]}
    assert KINDS["Service"]["spec"]["ports"][0]["targetPort"] == port["name"]
    assert "PostgreSQL" not in KINDS  # it is outside
    assert "--without-keys" not in container["args"]


def test_kubernetes_runs_the_image_as_it_was_built() -> None:
    security = POD["securityContext"]
    assert security["runAsNonRoot"]
    assert f"USER {security['runAsUser']}\n" in DOCKERFILE
    (container,) = POD["containers"]
    assert not container["securityContext"]["allowPrivilegeEscalation"]
    (secret,) = POD["volumes"]
    assert secret["secret"]["defaultMode"] == 0o440
    # SIGTERM ends the service within 10 s, after the 5 in which others stop sending to it.
    assert POD["terminationGracePeriodSeconds"] >= 15


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd here")
def test_systemd_takes_the_unit(tmp_path: Path) -> None:
    text = UNIT.read_text().replace("/opt/rbmle/bin/rbmle", sys.executable)
    (tmp_path / UNIT.name).write_text(text)
    told = subprocess.run(
        ["systemd-analyze", "verify", tmp_path / UNIT.name], capture_output=True, text=True
    )
    said = [line for line in told.stderr.splitlines() if UNIT.name in line]
    assert (told.returncode, said) == (0, [])


@pytest.mark.parametrize(
    "arguments",
    [
        json.loads(re.findall(r"(?m)^CMD (\[.*\])", DOCKERFILE)[-1]),
        COMPOSE["services"]["service"]["command"],
        POD["containers"][0]["args"],
        re.findall(r"(?m)^ExecStart=\S+ (.*)", UNIT.read_text())[0].split(),
    ],
    ids=["image", "compose", "kubernetes", "systemd"],
)
def test_every_command_is_one_that_exists(arguments: list[str]) -> None:
    serve, *options = arguments
    group = get_command(app)
    command = group.commands[serve]  # type: ignore[attr-defined]
    above = Context(group, info_name="rbmle")
    with command.make_context(serve, options, parent=above) as context:
        assert context.params["workers"] == 2


def test_every_metric_on_the_board_is_one_that_is_told() -> None:
    """Of the experiments', which need a database: tests/deploy/test_deploy_steps.py."""
    board = json.loads((ROOT / "deploy" / "grafana.json").read_text())
    asked = {
        re.sub("_(bucket|count)$", "", name)
        for panel in board["panels"]
        for target in panel["targets"]
        for name in re.findall(r"\brbmle_\w+", target["expr"])
    }
    of_workers = set(re.findall(r"# TYPE (\w+)", Meters().text()))
    assert of_workers <= asked  # nothing is left out
    assert len(asked - of_workers) == 6
    places = [(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in board["panels"]]
    assert len(set(places)) == len(places)
