"""Schemathesis reads /openapi.json and asks everything that it allows, and much that it does not.

No answer may be a failure of the server, or differ from the description. RBMLE_EXAMPLES sets how
many requests it makes for each operation and phase.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from served import Service

from rbmle.service.client import Client

EXAMPLES = os.environ.get("RBMLE_EXAMPLES", "8")
CHECKS = (
    "not_a_server_error,status_code_conformance,content_type_conformance,"
    "response_schema_conformance"
)


@pytest.mark.schema
def test_every_answer_is_as_described(tmp_path: Path) -> None:
    with Service(f"sqlite:///{tmp_path}/rbmle.db", workers=1) as service:
        with Client(service.address) as client:
            client.create("shop", ["a", "b"], "ucb", seed=1)
            client.decide("shop", "visit")
            client.create("news", ["a", "b"], "ucb", "gaussian", evidence="linear(dimension=2)")
            client.decide("news", "reader", {"a": [1.0, 0.0], "b": [0.6, 0.8]})
        told = subprocess.run(
            [sys.executable, "-m", "schemathesis.cli", "run", f"{service.address}/openapi.json",
             "--max-examples", EXAMPLES, "--checks", CHECKS, "--seed", "1",
             "--phases", "examples,coverage,fuzzing,stateful", "--suppress-health-check", "all"],
            capture_output=True, text=True, timeout=600, check=False, cwd=tmp_path,
        )  # fmt: skip
        assert told.returncode == 0, told.stdout[-5000:] + told.stderr[-1000:]
        print(told.stdout[-1500:])
        assert service.stop() == 0
