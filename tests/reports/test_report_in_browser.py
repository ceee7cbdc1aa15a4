"""The report in a browser: sorting, hiding, values, zoom, scales and downloads."""

import json
import re
import time

import numpy as np
import pytest
from report_cases import EVIL

from rbmle import Problem, simulate, write_report
from rbmle._io.text import number_text

pytestmark = pytest.mark.browser


def column(driver, number):
    script = "return [...document.querySelector('table').tBodies[0].rows].map(r => r.cells[%d]%s)"
    return driver.execute_script(script % (number, ".textContent.trim()"))


def test_it_opens_without_errors_or_requests(opened):
    assert opened.get_log("browser") == []
    messages = [json.loads(each["message"])["message"] for each in opened.get_log("performance")]
    asked = {
        each["params"]["request"]["url"]
        for each in messages
        if each["method"] == "Network.requestWillBeSent"
    }
    assert asked
    assert all(each.startswith(("file:", "data:")) for each in asked), asked
    resources = "return performance.getEntriesByType('resource').map(e => e.name)"
    assert all(each.startswith("data:") for each in opened.execute_script(resources))


def test_a_table_sorts_by_click_and_by_key(opened):
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys

    heads = opened.find_elements(By.CSS_SELECTOR, "table:first-of-type thead th")[:3]
    buttons = [each.find_element(By.TAG_NAME, "button") for each in heads]
    buttons[1].click()
    assert [each.split()[0] for each in column(opened, 1)] == ["9.0", "10.5", "100.1"]
    assert [each.get_attribute("aria-sort") for each in heads] == ["none", "ascending", "none"]
    buttons[1].send_keys(Keys.ENTER)
    assert [each.split()[0] for each in column(opened, 1)] == ["100.1", "10.5", "9.0"]
    assert heads[1].get_attribute("aria-sort") == "descending"
    buttons[2].click()
    assert column(opened, 2) == ["9", "20", "100"]
    assert [each.get_attribute("aria-sort") for each in heads] == ["none", "none", "ascending"]
    opened.find_element(By.CSS_SELECTOR, "td.agrees").click()
    note = opened.find_element(By.CSS_SELECTOR, ".note")
    assert note.text == "KG: published 8.5, z = 0.4"


def test_a_policy_is_hidden_and_shown_in_its_section_only(opened):
    from selenium.webdriver.common.by import By

    sections = opened.find_elements(By.CSS_SELECTOR, "section")

    def shown(section, name):
        parts = section.find_elements(By.CSS_SELECTOR, "[data-policy]")
        mine = [each for each in parts if each.get_attribute("data-policy") == name]
        assert mine
        return {each.value_of_css_property("display") != "none" for each in mine}

    box = sections[1].find_element(By.CSS_SELECTOR, "input[value=UCB]")
    box.click()
    assert shown(sections[1], "UCB") == {False}
    assert shown(sections[2], "UCB") == {True}
    rbmle = sections[1].find_elements(By.TAG_NAME, "input")[1].get_attribute("value")
    assert shown(sections[1], rbmle) == {True}
    box.click()
    assert shown(sections[1], "UCB") == {True}
    evil = sections[3].find_elements(By.TAG_NAME, "input")[1]
    evil.click()
    assert shown(sections[3], EVIL) == {False}
    sections[3].find_element(By.CSS_SELECTOR, "button[value=none]").click()
    assert shown(sections[3], "UCB") == {False}
    sections[3].find_element(By.CSS_SELECTOR, "button[value=all]").click()
    assert shown(sections[3], EVIL) == shown(sections[3], "UCB") == {True}


@pytest.mark.parametrize("width", [390, 1280])
def test_the_page_is_never_wider_than_the_screen(opened, width):
    metrics = {"width": width, "height": 844, "deviceScaleFactor": 2, "mobile": width < 500}
    opened.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    assert opened.execute_script("return window.innerWidth") == width
    widths = "const page = document.documentElement; return [page.scrollWidth, page.clientWidth]"
    needed, given = opened.execute_script(widths)
    assert needed <= given <= width
    opened.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.mark.parametrize("width", [390, 1280])
def test_no_name_is_cut_so_that_two_read_alike(browser, tmp_path, width):
    """In tables names are whole, and so are pairs of them; in figures they stay different."""
    names = [f"RBMLE(alpha=LogBias(c={c}), boundary='published')" for c in (1.0, 2.0, 12.0)]
    problem = Problem("bernoulli", [0.3, 0.6])
    result = simulate(problem, dict.fromkeys(names, "rbmle") | {"UCB": "ucb"}, 100, 4)
    path = write_report(result, tmp_path / "page.html")
    metrics = {"width": width, "height": 844, "deviceScaleFactor": 2, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    browser.get(path.as_uri())
    cut = (
        "return [...document.querySelectorAll('details')].forEach((e) => e.open = true) || "
        "[...document.querySelectorAll('tbody th')].filter((e) => e.scrollWidth > e.clientWidth "
        "|| getComputedStyle(e).textOverflow === 'ellipsis').map((e) => e.textContent)"
    )
    assert browser.execute_script(cut) == []
    read = (
        "return [...document.querySelectorAll('figure')].map((figure) => "
        "[...figure.querySelectorAll('[data-part=label]')].map((e) => e.textContent))"
    )
    for labels in browser.execute_script(read):
        assert len({*labels}) == len(labels) >= len(result.names)
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_the_page(opened, scheme):
    media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    opened.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    read = (
        "const of = (q, p) => getComputedStyle(document.querySelector(q))[p];"
        "return [of('body', 'backgroundColor'), of('body', 'color'), of('figure text', 'fill')]"
    )
    colours = opened.execute_script(read)
    light = [np.mean([int(x) for x in re.findall(r"\d+", each)[:3]]) for each in colours]
    opened.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    assert (light[0] > 200) == (scheme == "light")
    assert all(abs(each - light[0]) > 150 for each in light[1:])


def figure(driver, about, section=1):
    """The figure of a section about this subject, scrolled into view."""
    script = (
        "const found = document.querySelectorAll('section')[arguments[0]]"
        '.querySelector(`figure[data-file$="${arguments[1]}"]`);'
        "found.scrollIntoView({block: 'center'}); return found"
    )
    return driver.execute_script(script, section, about)


def point_at(driver, element, right, down):
    """Move the mouse to a place of the drawing, in shares of its width and height."""
    from selenium.webdriver.common.action_chains import ActionChains

    size = element.size
    x, y = (right - 0.5) * size["width"], (down - 0.5) * size["height"]
    ActionChains(driver).move_to_element_with_offset(element, int(x), int(y)).perform()


def drawing(shown):
    return shown.find_element("css selector", ".drawing svg")


def press(shown, text):
    buttons = shown.find_elements("css selector", ".tools button")
    next(each for each in buttons if each.text == text).click()


def ticks(driver, shown):
    script = "return [...arguments[0].querySelectorAll('svg > text')].map((e) => e.textContent)"
    return driver.execute_script(script, shown)


def test_pointing_at_a_curve_shows_every_policys_value(opened, result):
    shown = figure(opened, "regret")
    tip = shown.find_element("css selector", ".tip")
    assert not tip.is_displayed()
    point_at(opened, drawing(shown), 0.6, 0.4)
    assert tip.is_displayed()
    head = re.match(r"Round t (\d+)", tip.text)
    at = list(result.checkpoints).index(int(head[1]))
    for place, name in enumerate(result.names):
        said = re.search(rf"{re.escape(name)}\n([\d.]+) \(", tip.text)
        assert float(said[1]) == pytest.approx(result.regret[place, :, at].mean(), abs=0.051)
    point_at(opened, drawing(shown), 0.5, 0.99)
    assert not tip.is_displayed()


def test_pointing_at_a_box_shows_its_numbers(opened, result):
    shown = figure(opened, "final-regret")
    point_at(opened, drawing(shown), 0.6, 0.15)
    tip = shown.find_element("css selector", ".tip")
    best = np.median(result.final_regret, axis=1).argmin()
    assert tip.text.startswith(result.names[best])
    assert f"{np.median(result.final_regret[best]):.1f}" in tip.text


def test_the_keys_move_through_the_rounds(opened, result):
    from selenium.webdriver.common.keys import Keys

    shown = figure(opened, "regret")
    drawing(shown).send_keys(Keys.ARROW_LEFT)
    tip = shown.find_element("css selector", ".tip")
    assert f"Round t {result.checkpoints[-2]}" in tip.text
    drawing(shown).send_keys(Keys.ESCAPE)
    assert not tip.is_displayed()


def test_scales_switch_between_linear_and_log(opened):
    shown = figure(opened, "regret")
    assert "Round t" in ticks(opened, shown)
    before = ticks(opened, shown)
    for word, label in (("log x", "Round t (log scale)"), ("log y", "band (log scale)")):
        box = shown.find_element("css selector", f"input[value='{word}']")
        assert not box.is_selected()
        box.click()
        assert any(label in each for each in ticks(opened, shown))
        box.click()
    assert ticks(opened, shown) == before


def test_zooming_by_mouse_and_by_button(opened):
    from selenium.webdriver.common.action_chains import ActionChains

    shown = figure(opened, "regret")
    whole = ticks(opened, shown)
    svg = drawing(shown)
    wide = svg.size["width"]
    ActionChains(opened).move_to_element_with_offset(svg, int(-0.3 * wide), -30).click_and_hold(
    ).move_by_offset(int(0.2 * wide), 0).release().perform()  # fmt: skip
    closer = ticks(opened, shown)
    assert closer != whole
    assert "200" not in closer  # the last round is out of sight
    press(shown, "Reset")
    assert ticks(opened, shown) == whole
    press(shown, "+")
    assert ticks(opened, shown) != whole
    press(shown, "Reset")
    assert ticks(opened, shown) == whole


def downloaded(driver, folder, act):
    """The text of the one file that a click downloads."""
    driver.execute_cdp_cmd(
        "Page.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(folder)}
    )
    before = set(folder.iterdir())
    act()
    for _ in range(100):
        new = [each for each in folder.iterdir() if each not in before]
        if new and not new[0].name.endswith(".crdownload") and new[0].stat().st_size:
            return new[0].name, new[0].read_text("utf-8")
        time.sleep(0.1)
    raise TimeoutError("nothing was downloaded")


def test_a_figure_and_its_numbers_can_be_taken_away(opened, result, tmp_path):
    from xml.etree import ElementTree

    folder = tmp_path / "got"
    folder.mkdir()
    shown = figure(opened, "regret")
    name, text = downloaded(opened, folder, lambda: press(shown, "SVG"))
    assert name == "three-arms-regret.svg"
    root = ElementTree.fromstring(text)
    assert root.tag.endswith("svg")
    assert "var(" not in text
    assert result.names[0] in "".join(root.itertext())
    name, text = downloaded(opened, folder, lambda: press(shown, "CSV"))
    assert name == "three-arms-regret.csv"
    head, *rows = text.splitlines()
    assert head == "line,round,mean,q10,q90"
    last = next(each for each in rows if each.startswith(f"{result.names[0]},200,"))
    assert float(last.split(",")[2]) == pytest.approx(result.final_regret[0].mean(), rel=1e-5)
    table = opened.find_element("css selector", "#section-2 button.csv")
    name, text = downloaded(opened, folder, table.click)
    head, *rows = text.splitlines()
    assert head.split(",")[:3] == ["policy", "mean", "s.e."]
    assert len(rows) == 3
    assert float(rows[0].split(",")[1]) == pytest.approx(result.final_regret[0].mean())


@pytest.mark.parametrize("width", [390, 1280])
def test_figures_have_readable_text_and_captions_in_sight(opened, width):
    metrics = {"width": width, "height": 844, "deviceScaleFactor": 1, "mobile": width < 500}
    opened.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    time.sleep(0.5)  # the figures are drawn anew for the width
    sizes = opened.execute_script(
        "return [...document.querySelectorAll('figure[data-chart] svg')].map((svg) =>"
        " svg.getBoundingClientRect().width / svg.viewBox.baseVal.width)"
    )
    assert len(sizes) == 7
    assert min(sizes) > 0.9  # text of 12 and 11 pixels
    outside = opened.execute_script(
        "return [...document.querySelectorAll('.caption p, figcaption')].filter((each) => {"
        " const box = each.getBoundingClientRect(); return box.left < 0 || box.right > innerWidth})"
    )
    assert outside == []
    opened.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_hidden_policies_do_not_count_for_the_scale(opened, result):
    figure(opened, "final-regret")
    mean = result.final_regret.mean(axis=1)
    best, worst = result.names[mean.argmin()], result.names[mean.argmax()]
    script = (
        "return [...document.querySelectorAll('#section-2 figure[data-file$=final-regret] g')]"
        ".find((each) => each.dataset.policy === arguments[0]).querySelector('rect').outerHTML"
    )
    before = opened.execute_script(script, best)
    boxes = opened.find_elements("css selector", "#section-2 .policies input")
    box = next(each for each in boxes if each.get_attribute("value") == worst)
    box.click()
    assert opened.execute_script(script, best) != before
    box.click()
    assert opened.execute_script(script, best) == before


def test_the_page_writes_numbers_as_python_does(opened):
    values = [0.0, 1e-4, 0.04567, 0.99949, 1.26, 25.44, 1234.56, 123456.7, 9e9, 3.14e-7, -0.5]
    said = opened.execute_script("return arguments[0].map(numberText)", values)
    assert said == [number_text(each) for each in values]
