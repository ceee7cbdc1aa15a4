"""The files of the page: all are served, nothing comes from elsewhere, and nothing is inline."""

from __future__ import annotations

import re
from importlib import resources

from rbmle.service import app

FILES = {
    each.name: each.read_text()
    for each in resources.files("rbmle.service").joinpath("web").iterdir()
}


def test_every_file_is_served() -> None:
    assert set(FILES) == set(app._PAGE)


def test_a_content_security_policy_without_inline_code_holds() -> None:
    html = FILES["page.html"]
    assert not re.search(r"<style|\sstyle=|\son[a-z]+=|javascript:", html)
    assert re.findall(r"<script[^>]*>(.*?)</script>", html, re.S) == [""]
    for name, text in FILES.items():
        addresses = set(re.findall(r"https?://[^\s\"')`]+", text))
        assert addresses <= {"http://www.w3.org/2000/svg"}, name
        assert not re.search(r"\beval\(|new Function|innerHTML|insertAdjacentHTML", text), name


def test_scripts_and_page_agree_on_the_elements() -> None:
    known = set(re.findall(r'\bid="([^"]+)"', FILES["page.html"]))
    for name, text in FILES.items():
        if name.endswith(".js"):
            assert set(re.findall(r'find\("([^"]+)"\)', text)) <= known, name
