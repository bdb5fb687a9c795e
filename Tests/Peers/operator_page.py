"""Uses the operators' page in Chromium, for OperatorPageTests.

Reads a JSON object from standard input: `url` of the page, `chromium` (path of the browser), `token` of an operator,
`customer` (identifier), `product` that the customer owns, and `text`, hostile markup that is the reason of a grant.
Writes a JSON object with `checks`: each with `id`, `ok` and `note`.
"""

import json
import re
import sys

from preview_browser import Browser


def use(browser, question):
    page = browser.open(question["url"])
    browser.accessible("the form for the token is accessible", page)
    page.fill("#token", "wrong")
    page.keyboard.press("Enter")
    browser.expect(
        "a wrong token is said to be wrong", page,
        "() => document.querySelector('#status').textContent.includes('token is wrong')")
    # The browser writes each answer with an error status to the console.
    browser.complaints = [text for text in browser.complaints if "401" not in text]
    page.fill("#token", question["token"])
    page.keyboard.press("Enter")
    browser.expect(
        "the desk is shown", page,
        "() => !document.querySelector('#desk').hidden && !document.querySelector('#token').value")
    browser.check("the focus is in the search", page.evaluate("document.activeElement.id") == "query")
    browser.expect(
        "recent customers are listed", page,
        "(id) => [...document.querySelectorAll('#found button')].some((button) => button.textContent === id)",
        question["customer"])

    page.fill("#query", question["customer"])
    page.keyboard.press("Enter")
    page.click(f"#found button:text-is('{question['customer']}')")
    browser.expect(
        "the customer is shown with facts", page,
        "() => document.querySelectorAll('#customer table').length >= 3 && document.querySelector('#customer h2')")
    dates = page.locator("#customer time").all_text_contents()
    browser.check("dates are written for people", dates and not any(re.search(r"\d{4}-\d\d|\d{13}", text) for text in dates), dates)
    browser.check("no fact is JSON", not page.locator("#customer td", has_text=re.compile(r'^\s*[{\[]')).count())
    page.click("#customer button:has-text('Why ') >> nth=0")
    browser.expect(
        "the reasons are shown", page, "() => document.querySelectorAll('#reasons p').length > 0")
    body = page.locator("#customer").inner_text()
    browser.check("hostile text is text", question["text"] in body, body[:500])
    browser.check("hostile text is no markup", page.locator("#customer img, #customer script").count() == 0)
    page.click("#filter button")
    browser.expect(
        "the notifications are shown", page,
        "() => document.querySelector('#notifications').children.length > 0")
    for width in (390, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        browser.check(f"the page is no wider than {width} pixels", page.evaluate("document.documentElement.scrollWidth <= innerWidth"))
        narrow = page.evaluate(
            "[...document.querySelectorAll('td')].filter((cell) => cell.offsetParent && cell.offsetWidth < 40).length")
        browser.check(f"no cell is crushed at {width} pixels", narrow == 0, narrow)
        browser.accessible(f"the desk is accessible at {width} pixels", page)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        browser.accessible(f"the desk is accessible: {scheme}", page)
    kept = page.evaluate("[document.cookie, Object.keys(localStorage).length, Object.keys(sessionStorage).length]")
    browser.check("nothing is kept", kept == ["", 0, 0], kept)

    page.click("#leave")
    browser.expect("the token is forgotten", page, "() => document.querySelector('#desk').hidden")
    left = page.locator("#customer").inner_text() + page.locator("#found").inner_text()
    browser.check("what was shown is gone", question["customer"] not in page.content() and not left)
    browser.quiet()


def main():
    question = json.load(sys.stdin)
    with Browser(question["chromium"]) as browser:
        use(browser, question)
        json.dump({"checks": browser.checks}, sys.stdout)


main()
