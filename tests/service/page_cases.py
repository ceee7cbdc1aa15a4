"""Chromium, and what tests of the page ask it."""

from __future__ import annotations

import time
from typing import Any

EVIL = "<img src=x onerror=alert(1)>"


def start_browser(profile: str, *flags: str) -> Any:
    """Headless Chromium with an empty profile."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                 "--disable-background-networking", "--disable-component-update",
                 f"--user-data-dir={profile}", *flags):  # fmt: skip
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(options=options)


def resize(driver: Any, width: int) -> None:
    size = {"width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


def wait_for(driver: Any, script: str, seconds: float = 15.0) -> Any:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = driver.execute_script(f"return {script}")
        if found:
            return found
        time.sleep(0.1)
    raise TimeoutError(script)


def texts(driver: Any, selector: str) -> list[str]:
    """The text of each element."""
    script = "return [...document.querySelectorAll(arguments[0])].map(e => e.textContent)"
    found: list[str] = driver.execute_script(script, selector)
    return found


def press(driver: Any, selector: str) -> None:
    driver.execute_script("document.querySelector(arguments[0]).click()", selector)


def type_in(driver: Any, selector: str, text: str) -> None:
    """Fill a field, as somebody who types does."""
    script = (
        "const field = document.querySelector(arguments[0]); field.value = arguments[1];"
        "field.dispatchEvent(new Event('input'));"
    )
    driver.execute_script(script, selector, text)
