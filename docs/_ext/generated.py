"""What pages take from the program itself: the command line's help, and the description of HTTP.

In a page, `<!-- generated: commands -->` and `<!-- generated: operations -->` are replaced.
"""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Iterator
from typing import Any

import typer
from sphinx.application import Sphinx


def helped(*arguments: str) -> str:
    """What `rbmle ... --help` prints."""
    from rbmle.cli.main import run

    os.environ["COLUMNS"] = "100"
    with contextlib.redirect_stdout(io.StringIO()) as told:
        run([*arguments, "--help"])
    return told.getvalue().strip()


def commands() -> Iterator[str]:
    """The help of every command, and of the commands below it, under a heading each."""
    from rbmle.cli.options import app

    def below(command: Any, names: tuple[str, ...]) -> Iterator[str]:
        yield f"## {' '.join(('rbmle', *names))}\n\n```text\n{helped(*names)}\n```\n"
        for name, each in sorted(getattr(command, "commands", {}).items()):
            if not each.hidden:
                yield from below(each, (*names, name))

    return below(typer.main.get_command(app), ())


def operations() -> Iterator[str]:
    """Every operation of the service: its body, its answer and its errors."""
    from rbmle.service.app import OPERATIONS
    from rbmle.service.http import openapi

    document, errors = openapi(OPERATIONS), {}
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield f"## {method.upper()} {path}\n\n{operation.get('summary', '')}\n"
            yield from (
                f"- `{p['name']}` ({p['in']}): {kind(p['schema'])}"
                for p in operation.get("parameters", [])
            )
            if "requestBody" in operation:
                yield f"- body: {kind(content(operation['requestBody']))}"
            for status, answer in operation["responses"].items():
                if int(status) < 400:
                    yield f"- answer: {status}, {kind(content(answer)) or 'text'}"
                errors[status] = answer["description"]
            refused = [status for status in operation["responses"] if int(status) >= 400]
            yield f"- errors: {', '.join(refused)}\n"
    yield "## Errors\n\nAn error is an object with one sentence, [Refused](#refused).\n"
    yield from (f"- {status}: {errors[status]}" for status in sorted(errors) if int(status) >= 400)
    yield ""
    yield "## Bodies and answers\n\nA field without *optional* is always there.\n"
    for name, schema in sorted(document["components"]["schemas"].items()):
        yield f"### {name}\n\n{schema.get('description', '')}\n"
        for field, what in schema.get("properties", {}).items():
            optional = "" if field in schema.get("required", ()) else ", optional"
            yield f"- `{field}`: {kind(what)}{optional}"
        yield ""


def content(described: dict[str, Any]) -> dict[str, Any]:
    """The schema of the first type of content."""
    return next((each.get("schema", {}) for each in described.get("content", {}).values()), {})


def kind(schema: dict[str, Any]) -> str:
    """A schema in a few words; one with a name as a link to it."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in schema or "oneOf" in schema:
        return " or ".join(kind(each) for each in schema.get("anyOf", schema.get("oneOf")))
    if "enum" in schema:
        return "one of " + ", ".join(f"`{each}`" for each in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {kind(schema.get('items', {}))}"
    if schema.get("type") == "object" and schema.get("additionalProperties") not in (
        None,
        False,
        True,
    ):
        return f"object of {kind(schema['additionalProperties'])}"
    return (
        str(schema.get("type", ""))
        if not isinstance(schema.get("type"), list)
        else " or ".join(schema["type"])
    )


def fill(app: Sphinx, page: str, source: list[str]) -> None:
    for name, make in {"commands": commands, "operations": operations}.items():
        mark = f"<!-- generated: {name} -->"
        if mark in source[0]:
            source[0] = source[0].replace(mark, "\n".join(make()))


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("source-read", fill)
    return {"parallel_read_safe": True}
