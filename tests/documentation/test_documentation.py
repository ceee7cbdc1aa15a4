"""The code in README and docs runs, and prints what they show."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from blocks import DOCUMENTS, blocks_of, matches

HERE = Path(__file__).parent
WITH_CODE = [document for document in DOCUMENTS if blocks_of(document)]


def test_there_is_code_to_run() -> None:
    shown = [block for document in WITH_CODE for block in blocks_of(document)]
    assert sum(block.printed is not None for block in shown) >= 10
    assert {block.kind for block in shown} == {"python", "sh", "toml"}


@pytest.mark.slow
@pytest.mark.parametrize("document", WITH_CODE, ids=lambda document: document.name)
def test_each_document_runs_alone(document: Path, tmp_path: Path) -> None:
    check(document, tmp_path)


@pytest.mark.slow
def test_all_documents_run_in_one_folder(tmp_path: Path) -> None:
    """As a reader does who tries them one after the other: no file of one stops another."""
    for document in WITH_CODE:
        check(document, tmp_path)


def check(document: Path, folder: Path) -> None:
    """The document's code runs in the folder, and prints what the document shows."""
    told = subprocess.run(
        [sys.executable, "-W", "error", str(HERE / "play_document.py"), str(document)],
        cwd=folder,
        env={**os.environ, "MPLBACKEND": "Agg", "COLUMNS": "120"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    result = json.loads(told.splitlines()[-1])
    assert result["failed"] is None, f"{document.name}: {result['failed']}"
    expected = {block.line: block.printed for block in blocks_of(document)}
    wrong = {
        f"{document.name}, line {line}": (printed, expected[line])
        for line, printed in result["printed"]
        if expected[line] is not None and not matches(printed, expected[line])
    }
    for where, (printed, shown) in wrong.items():
        print(f"{where} printed\n{printed}\nbut the document shows\n{shown}")
    assert not wrong


@pytest.mark.parametrize(
    ("printed", "expected", "same"),
    [
        ("a\nb  \n", "a\nb", True),
        ("a\nb\nc\n", "a\n...\nc", True),
        ("time 3.2 s", "time ... s", True),
        ("a\nb", "a\nc", False),
        ("a\nb", "a", False),
    ],
)
def test_outputs_are_compared_line_by_line(printed: str, expected: str, same: bool) -> None:
    assert matches(printed, expected) is same


def test_blocks_are_found(tmp_path: Path) -> None:
    text = """
```python
print(1)
```

It prints:

```text
1
```

<!-- not run: it takes an hour -->
```python
print(2)
```

Saved as `study.toml`:

```toml
horizon = 3
```

```python
print(3)
```
Some prose. More of it.

```text
not its output
```
"""
    path = tmp_path / "a.md"
    path.write_text(text)
    assert [(each.kind, each.code, each.printed, each.name) for each in blocks_of(path)] == [
        ("python", "print(1)\n", "1\n", None),
        ("toml", "horizon = 3\n", None, "study.toml"),
        ("python", "print(3)\n", None, None),
    ]
