"""Pages of many products, of hostile texts and of changed files."""

import os
import pathlib
import time


# The shop scrolls by itself.
SCROLL = "(fraction) => { const shop = document.getElementById('shop'); shop.scrollTo(0, shop.scrollHeight * fraction); }"


def large(browser, asked):
    """The page holds few of its products at a time, and shows each one where it is scrolled to."""
    page = browser.open(asked["url"])
    count = asked["count"]
    most = 0
    for fraction in (0.1, 0.35, 0.6, 0.85):
        page.evaluate(SCROLL, fraction)
        browser.expect(f"products are shown at {fraction}", page,
            """() => [...document.querySelectorAll('.card')].some((card) => {
            const box = card.getBoundingClientRect(); return box.bottom > 0 && box.top < innerHeight; })""")
        most = max(most, page.locator(".card").count())
    for _ in range(30):
        page.evaluate(SCROLL, 1)
        if page.locator(f"#p{count - 1}").count():
            break
        page.wait_for_timeout(200)
    browser.expect("the last product is shown at the end", page,
        "(id) => document.getElementById(id) !== null", f"p{count - 1}")
    most = max(most, page.locator(".card").count())
    browser.check("the page holds at most 1,000 products", most <= 1000, most)
    page.evaluate(SCROLL, 0)
    browser.expect("the first product is shown again", page, "() => document.getElementById('p0') !== null")
    page.fill("#filter-text", f"Thing {count - 1}")
    browser.expect("a search shows the one product that it finds", page,
        "(id) => document.querySelectorAll('.card').length === 1 && document.getElementById(id) !== null",
        f"p{count - 1}")
    browser.accessible("axe finds nothing in a search", page)
    browser.check("the focus stays in the search", page.evaluate("document.activeElement.id") == "filter-text")
    browser.check("the address has the search", "search=Thing" in page.url, page.url)
    page.fill("#filter-text", "")
    page.select_option("#filter-state", "owned")
    browser.expect("a filter shows no product that is not owned", page,
        "() => document.querySelectorAll('.card').length === 0 && document.querySelector('.empty') !== null")
    browser.quiet()


def hostile(browser, asked):
    for device in ("phone", "computer"):
        page = browser.open(f"{asked['url']}?device={device}")
        titles = page.locator(".card h3").all_text_contents()
        for number, text in enumerate(asked["texts"]):
            shown = titles[number] if number < len(titles) else ""
            browser.check(f"text {number} is text: {device}", shown[:40] == text[:40], shown[:80])
        browser.check(f"no element of a text is in the page: {device}", page.evaluate(
            "document.querySelector('main :is(script, iframe, style, object, [onerror], [onclick], [onfocus])')") is None)
        browser.check(f"the page keeps its width: {device}",
            page.evaluate("document.documentElement.scrollWidth <= innerWidth"))
        browser.check(f"no card is higher than the window: {device}", page.evaluate(
            "Math.max(...[...document.querySelectorAll('.card')].map((card) => card.offsetHeight)) < 900"))
        browser.accessible(f"axe finds nothing: {device}", page)
    browser.quiet()


def live(browser, asked):
    """The page follows a saved file, says where a broken one is wrong, and keeps the last good shop."""
    page = browser.open(asked["url"])
    catalog = pathlib.Path(asked["catalog"])
    original = catalog.read_text()

    def save(text):
        beside = catalog.with_suffix(".saving")
        beside.write_text(text)
        os.rename(beside, catalog)

    page.fill("#scene-name", "typed before")
    for number in range(3):
        save(original.replace("Seven hills,", f"{number} hills,"))
        browser.expect(f"the page has the text {number}", page,
            "(text) => document.querySelector('#p0 .text').innerText.startsWith(text)", f"{number} hills,")
    browser.check("what was typed is still there", page.input_value("#scene-name") == "typed before")
    save(original.replace("</plist>", "<broken"))
    browser.expect("a broken file is named with its line", page,
        "() => /line \\d+/.test(document.querySelector('.banner')?.innerText ?? '')")
    browser.check("the last good shop is kept", page.locator(".card").count() == 12)
    browser.accessible("axe finds nothing beside a broken file", page)
    save(original.replace("<false/>", "<string>no</string>", 1))
    browser.expect("a product with an error is shown with its error", page,
        "() => document.querySelector('.card.dropped .finding.error') && document.querySelectorAll('.range .card').length")
    browser.accessible("axe finds nothing beside an error", page)
    save(original)
    browser.expect("the repaired file is shown", page,
        "() => !document.querySelector('.banner') && document.querySelector('#p0 .text').innerText.startsWith('Seven')")
    browser.quiet()


def pages(browser, asked):
    for file in asked["files"]:
        page = browser.open(pathlib.Path(file).as_uri(), java_script_enabled=True)
        name = pathlib.Path(file).name
        browser.check(f"{name} has a heading", page.locator("h1").count() == 1)
        browser.check(f"{name} has its style", page.evaluate("getComputedStyle(document.body).margin") == "0px")
        browser.check(f"{name} has no script and no form", page.locator("script, form").count() == 0)
        browser.check(f"{name} needs no other file", page.evaluate(
            "performance.getEntriesByType('resource').filter((entry) => !entry.name.startsWith('data:')).length") == 0)
        browser.quiet(f"the console of {name} has no errors and no warnings")
        # axe tries to read the style again, which the browser refuses for files and says so.
        browser.accessible(f"axe finds nothing: {name}", page)
        browser.complaints = []
        for link in page.locator("a[href]").all():
            href = link.get_attribute("href")
            if not href.startswith("#"):
                browser.check(f"{name} leads to {href}", (pathlib.Path(file).parent / href).is_file())
