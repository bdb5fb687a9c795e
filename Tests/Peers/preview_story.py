"""The demo's story, clicked and typed, and how the page looks in all sizes."""

import re

PREFIX = "com.example.voyager."
PRODUCTS = [
    "lisbon", "porto", "madrid", "vienna", "rome", "athens", "iberia", "everything", "premium", "coins50", "coins500",
    "atlantis",
]
CARD = {name: f"p{position}" for position, name in enumerate(PRODUCTS)}


def state(page, name, wanted):
    """A condition: the card of a product has a state."""
    return f"document.getElementById('{CARD[name]}')?.classList.contains('{wanted}')"


def buy(browser, page, name):
    page.click(f"#{CARD[name]}-buy")
    browser.expect(f"{name} is bought", page, f"() => {state(page, name, 'owned')}")


def why(browser, page, name, words):
    page.click(f"#{CARD[name]}-why")
    browser.expect(
        f"why {name}: {words}", page,
        "([card, words]) => document.getElementById(card).querySelector('.reasons').innerText.includes(words)",
        [CARD[name], words])


def balance(browser, page, amount):
    browser.expect(f"{amount} coins", page,
        "(amount) => document.querySelector('.purse .coin b')?.textContent === amount", amount)


def story(browser, asked):
    page = browser.open(asked["url"])
    browser.check("the page has all products", page.locator(".card").count() == len(PRODUCTS))
    page.fill("#build", "150")
    page.click("#build-set")
    browser.expect("a customer of build 150 owns Premium", page, f"() => {state(page, 'premium', 'owned')}")
    why(browser, page, "premium", "grandfathering rule")
    buy(browser, page, "rome")
    browser.expect("the content of Rome is installed", page,
                   f"() => document.querySelector('#{CARD['rome']} progress')?.value === 100")
    page.click(f"#{CARD['coins50']}-buy")
    balance(browser, page, "50")
    page.click(f"#{CARD['coins500']}-buy")
    balance(browser, page, "550")
    page.fill("#wallet-0-units", "30")
    page.click("#wallet-0-spend")
    balance(browser, page, "520")
    buy(browser, page, "lisbon")
    buy(browser, page, "porto")
    browser.expect("the Iberia Pack is not offered, for a reason", page,
                   f"() => document.querySelector('#{CARD['iberia']} .reason')?.innerText.includes('maxChildren')")
    buy(browser, page, "everything")
    browser.expect("Madrid is owned with it", page, f"() => {state(page, 'madrid', 'owned')}")
    why(browser, page, "madrid", PREFIX + "iberia")
    undo = page.locator("#back-0").count()
    browser.check("an earlier step can be gone back to", undo == 1)
    page.locator("[id^=refund-]").first.click()
    browser.expect("after the refund Madrid is not owned", page, f"() => {state(page, 'madrid', 'buyable')}")
    browser.expect("the timeline says what the app is told", page,
        "() => document.querySelector('.timeline .events')?.innerText.length > 0")
    page.click("#ask-to-buy")
    browser.expect("Ask to Buy is on", page,
        "() => document.getElementById('ask-to-buy').getAttribute('aria-checked') === 'true'")
    page.click(f"#{CARD['vienna']}-buy")
    browser.expect("Vienna waits", page, f"() => {state(page, 'vienna', 'pending')}")
    page.locator("[id^=approve-]").first.click()
    browser.expect("Vienna is approved", page, f"() => {state(page, 'vienna', 'owned')}")
    page.click("#ask-to-buy")
    page.click("#network")
    browser.expect("the network is off", page, "() => document.querySelector('.offline') !== null")
    page.click("#network")
    browser.expect("the network is on", page, "() => document.querySelector('.offline') === null")
    clock = page.inner_text(".clock")
    page.click("#advance-day")
    browser.expect("the clock moves", page, "(clock) => document.querySelector('.clock').innerText !== clock", clock)
    page.fill("#scene-name", "owns Lisbon & more")
    page.click("#scene-save")
    browser.expect("a scene is kept", page,
        "() => document.querySelector('#scene-0 strong')?.innerText === 'owns Lisbon & more'")
    page.locator("#scene-0").scroll_into_view_if_needed()
    browser.expect("the scene has a thumbnail", page, "() => document.querySelector('#scene-0 img').naturalWidth === 240")
    page.click("#back-0")
    browser.expect("all is undone", page,
        f"() => {state(page, 'lisbon', 'buyable')} && !{state(page, 'premium', 'owned')}")
    page.click("#scene-0")
    browser.expect("the scene is opened", page, f"() => {state(page, 'lisbon', 'owned')}")
    address = page.url
    browser.check("the address names the scene", "?scene=owns%20Lisbon%20%26%20more" in address, address)
    browser.accessible("axe finds nothing at the end", page)
    page.click("#back-0")
    browser.expect("a further step leaves the scene", page, f"() => {state(page, 'lisbon', 'buyable')}")
    browser.check("the address does not name the scene any more", "scene" not in page.url, page.url)
    sent = browser.open(address)
    browser.check("the address opens the scene", "owned" in sent.get_attribute(f"#{CARD['lisbon']}", "class"))
    sent.click("#scene-0-remove")
    for shown in (sent, page):
        browser.expect("the scene is removed", shown, "() => document.getElementById('scene-0') === null")
    browser.quiet()


# MARK: The keyboard

SEEN = """() => {
  const element = document.activeElement;
  const style = getComputedStyle(element);
  // After the last element, the focus leaves the page for the browser.
  const seen = element === document.body || style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2;
  return { id: element.id || element.textContent.trim().slice(0, 40), seen };
}"""


class Keys:
    """What is done with the keyboard alone, and each focus that could not be seen."""

    def __init__(self, browser, page):
        self.browser, self.page, self.unseen = browser, page, set()

    def to(self, id, key="Tab"):
        """Goes to an element with an identifier, at most around the page once."""
        for _ in range(400):
            self.page.keyboard.press(key)
            focus = self.page.evaluate(SEEN)
            if not focus["seen"]:
                self.unseen.add(focus["id"])
            if focus["id"] == id:
                return self
        self.browser.check(f"the keyboard reaches {id}", False)
        return self

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)

    def settled(self, id, condition, argument=None):
        self.browser.expect(id, self.page, condition, argument)


def keyboard(browser, asked):
    """The whole story with the keyboard alone."""
    page = browser.open(asked["url"])
    keys = Keys(browser, page)

    def first(prefix):
        return page.evaluate("(prefix) => document.querySelector(`[id^=${prefix}]`).id", prefix)

    def bought(name):
        keys.to(f"{CARD[name]}-buy").press("Enter")
        keys.settled(f"{name} is bought", f"() => {state(page, name, 'owned')}")
        keys.settled(f"the focus stays at {name}", "(card) => document.activeElement.id === card + '-why'", CARD[name])

    def reasons(name, words):
        keys.to(f"{CARD[name]}-why").press("Enter")
        keys.settled(f"why {name}: {words}",
            "([card, words]) => document.getElementById(card).querySelector('.reasons').innerText.includes(words)",
            [CARD[name], words])

    keys.to("Skip to what can be done").press("Enter")
    keys.to("build").press(*"150")
    keys.to("build-set").press("Enter")
    keys.settled("a customer of build 150 owns Premium", f"() => {state(page, 'premium', 'owned')}")
    keys.settled("the focus stays after an action", "() => document.activeElement.id === 'build-set'")
    reasons("premium", "grandfathering rule")
    bought("rome")
    keys.settled("the content of Rome is installed",
        f"() => document.querySelector('#{CARD['rome']} progress')?.value === 100")
    keys.to(f"{CARD['coins50']}-quantity").press("ArrowUp", "Enter")
    balance(browser, page, "100")
    keys.to(f"{CARD['coins500']}-buy").press("Enter")
    balance(browser, page, "600")
    keys.to("wallet-0-units").press("Control+a", *"30", "Enter")
    balance(browser, page, "570")
    bought("lisbon")
    bought("porto")
    keys.settled("the Iberia Pack is not offered, for a reason",
        f"() => document.querySelector('#{CARD['iberia']} .reason')?.innerText.includes('maxChildren')")
    bought("everything")
    keys.settled("Madrid is owned with it", f"() => {state(page, 'madrid', 'owned')}")
    reasons("madrid", PREFIX + "iberia")
    keys.to(first("refund-")).press("Enter")
    keys.settled("after the refund Madrid is not owned", f"() => {state(page, 'madrid', 'buyable')}")
    keys.to("ask-to-buy").press("Space")
    keys.settled("Ask to Buy is on",
        "() => document.getElementById('ask-to-buy').getAttribute('aria-checked') === 'true'")
    keys.settled("the focus stays at a switch", "() => document.activeElement.id === 'ask-to-buy'")
    keys.to(f"{CARD['vienna']}-buy").press("Enter")
    keys.settled("Vienna waits", f"() => {state(page, 'vienna', 'pending')}")
    keys.to(first("approve-")).press("Enter")
    keys.settled("Vienna is approved", f"() => {state(page, 'vienna', 'owned')}")
    keys.to("network").press("Space")
    keys.settled("the network is off", "() => document.querySelector('.offline') !== null")
    keys.press("Space")
    keys.settled("the network is on", "() => document.querySelector('.offline') === null")
    clock = page.inner_text(".clock")
    keys.to("advance-day").press("Enter")
    keys.settled("the clock moves", "(clock) => document.querySelector('.clock').innerText !== clock", clock)
    keys.to("scene-name").press(*"mine", "Enter")
    keys.settled("a scene is kept", "() => document.querySelector('#scene-0 strong')?.innerText === 'mine'")
    keys.to("back-0").press("Enter")
    keys.settled("all is undone", f"() => {state(page, 'lisbon', 'buyable')}")
    keys.to("scene-0").press("Enter")
    keys.settled("the scene is opened", f"() => {state(page, 'lisbon', 'owned')}")
    keys.settled("the focus stays at the scene", "() => document.activeElement.id === 'scene-0'")
    keys.to("scene-0-remove").press("Enter")
    keys.settled("the scene is removed", "() => document.getElementById('scene-0') === null")
    keys.settled("the focus stays at the scenes",
        "() => document.activeElement.closest('[data-part]')?.dataset.part === 'scenes'")
    keys.to("view-device").press("ArrowUp")
    keys.settled("the device is chosen", "() => document.documentElement.dataset.device === 'tablet'")
    keys.settled("the focus stays at a list", "() => document.activeElement.id === 'view-device'")
    keys.to("findings-badge").press("Enter")
    keys.settled("the findings are shown", "() => document.getElementById('findings').open")
    keys.press("Escape")
    keys.settled("the findings are hidden", "() => !document.getElementById('findings').open")
    keys.settled("the focus is at the badge", "() => document.activeElement.id === 'findings-badge'")
    browser.check("each focus can be seen", not keys.unseen, keys.unseen)
    browser.quiet()


# MARK: Reading

def reading(browser, asked):
    for device in ("phone", "tablet", "computer"):
        for scheme in ("light", "dark"):
            page = browser.open(f"{asked['url']}?device={device}&scheme={scheme}", width=1440)
            browser.accessible(f"axe finds nothing: {device}, {scheme}", page)
            browser.check(f"the shop is in the window: {device}, {scheme}",
                page.evaluate("document.documentElement.scrollWidth <= innerWidth"))
            if asked.get("pictures"):
                page.screenshot(path=f"{asked['pictures']}/{device}-{scheme}.png", full_page=True)
            page.context.close()
    for language in ("ar", "ja"):
        page = browser.open(f"{asked['url']}?language={language}&scheme=dark", width=1024)
        browser.accessible(f"axe finds nothing: {language}", page)
        browser.check(f"the shop is in the window: {language}",
            page.evaluate("document.documentElement.scrollWidth <= innerWidth"))
        browser.check(f"the language of the page is chosen: {language}", page.input_value("#view-language") == language)
        page.click("#findings-badge")
        browser.accessible(f"axe finds nothing with open findings: {language}", page)
        page.context.close()
    narrow = browser.open(asked["url"], width=375, height=700)
    browser.accessible("axe finds nothing on a narrow screen", narrow)
    browser.check("nothing is wider than a narrow screen",
        narrow.evaluate("document.documentElement.scrollWidth <= innerWidth"))
    browser.check("the controls of a narrow screen are closed", not narrow.is_visible("#build"))
    narrow.click("#drawer")
    browser.check("a drawer shows the controls", narrow.is_visible("#build"))
    browser.accessible("axe finds nothing with an open drawer", narrow)
    narrow.keyboard.press("Escape")
    browser.check("Escape closes the drawer", not narrow.is_visible("#build"))
    browser.check("the focus returns to the button", narrow.evaluate("document.activeElement.id") == "drawer")
    for width in (1024, 1440):
        wide = browser.open(asked["url"], width=width, height=800)
        boxes = [wide.locator(id).bounding_box() for id in ("#shop", "#counter", "#happened", "header")]
        browser.check(f"shop, controls and what happened are panes of the window at {width} pixels",
            all(box["y"] + box["height"] <= 801 for box in boxes) and boxes[1]["x"] >= boxes[0]["width"], boxes)
        wide.context.close()
    dark = browser.open(asked["url"], color_scheme="dark")
    light = browser.open(asked["url"], color_scheme="light")
    grounds = [page.evaluate("getComputedStyle(document.body).backgroundColor") for page in (dark, light)]
    browser.check("the browser's appearance is followed", grounds[0] != grounds[1], grounds)
    page = browser.open(asked["url"])
    page.select_option("#view-language", "de")
    browser.expect("the shop is in German", page,
        "() => document.getElementById('p0-title').innerText.includes('Lissabon')")
    browser.check("the words of the shop are German", "Produkte" in page.inner_text(".heading"))
    browser.check("the button has the price", re.search(r"\d", page.inner_text("#p0-buy")), page.inner_text("#p0-buy"))
    browser.check("the address has the language", re.search(r"[?&]language=de\b", page.url), page.url)
    plain = browser.open(page.url, java_script_enabled=False)
    browser.check("without scripts the shop is in German too", "Lissabon" in plain.inner_text("#p0-title"))
    plain.click("#p0-buy")
    browser.check("without scripts a product is bought", "owned" in plain.get_attribute("#p0", "class"))
    browser.quiet()
