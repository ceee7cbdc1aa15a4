"""Install what was built in a clean environment and run README's code from there.

`python .ci/installed.py` builds the sdist and from it the wheel, and installs the wheel.
`python .ci/installed.py dist sdist` installs what a folder holds: its sdist, or its wheel.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
PLAYER = ROOT / "tests" / "documentation" / "play_document.py"
FORMS = {"sdist": "*.tar.gz", "wheel": "*.whl"}


def main(folder: Path, form: str) -> None:
    with tempfile.TemporaryDirectory(prefix="rbmle-", ignore_cleanup_errors=True) as made:
        try_out(Path(made), folder, form)


def try_out(made: Path, folder: Path, form: str) -> None:
    """Install the form that the folder holds into a new environment in `made`, and run README."""
    venv.create(made / "venv", with_pip=True)
    programs = made / "venv" / ("Scripts" if os.name == "nt" else "bin")
    python = str(programs / "python")
    (file,) = folder.glob(FORMS[form])
    print(f"+ {file.name}, {file.stat().st_size / 1e3:.0f} kB, Python {sys.version.split()[0]}")
    subprocess.run([python, "-m", "pip", "install", "-q", f"{file.resolve()}[report]"], check=True)
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    clean |= {"MPLBACKEND": "Agg", "COLUMNS": "120", "PYTHONUTF8": "1"}
    told = subprocess.run(
        [str(programs / "rbmle"), "--version"], cwd=made, env=clean, capture_output=True, check=True
    )
    print(told.stdout.decode().strip())
    code = "import rbmle; print(rbmle.__file__)"
    place = subprocess.run(
        [python, "-c", code], cwd=made, env=clean, capture_output=True, check=True
    )
    assert str(made) in place.stdout.decode(), place.stdout
    told = subprocess.run(
        [python, "-W", "error", str(PLAYER), str(ROOT / "README.md")],
        cwd=made, env=clean, capture_output=True, check=True,
    )  # fmt: skip
    result = json.loads(told.stdout.decode().splitlines()[-1])
    assert result["failed"] is None, result["failed"]
    print(f"README: {len(result['printed'])} blocks ran.")


if __name__ == "__main__":
    if len(sys.argv) == 3:
        main(Path(sys.argv[1]), sys.argv[2])
    else:
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, "-m", "build", "-o", folder, ROOT], check=True)
            main(Path(folder), "wheel")
