"""The browser of `preview.py`, with the checks that it has made."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import TimeoutError, sync_playwright

# What a page waits for at most, in milliseconds: the machine may be busy with other tests.
PATIENCE = 60_000


class Browser:
    """Chromium, which reports what a page writes to its console."""

    def __init__(self, program):
        self.program = program
        self.checks = []
        self.complaints = []

    def __enter__(self):
        self.playwright = sync_playwright().start()
        self.browser = self.playwright.chromium.launch(
            executable_path=self.program,
            args=["--no-sandbox", "--disable-dev-shm-usage", "--hide-scrollbars", "--force-device-scale-factor=1"])
        return self

    def __exit__(self, *error):
        self.browser.close()
        self.playwright.stop()

    def open(self, url, width=1280, height=900, **options):
        """A page, whose console is checked at the end by `quiet`."""
        context = self.browser.new_context(viewport={"width": width, "height": height}, **options)
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.on("console", lambda message: self.complain(message.type, message.text))
        page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (self.complaints.append("a dialog was opened"), dialog.dismiss()))
        page.goto(url)
        return page

    def complain(self, kind, text):
        if kind in ("error", "warning"):
            self.complaints.append(f"{kind}: {text}")

    def check(self, id, ok, note=""):
        self.checks.append({"id": id, "ok": bool(ok), "note": str(note)})

    def expect(self, id, page, condition, argument=None):
        """Waits for a condition in JavaScript, and notes whether it came true."""
        try:
            page.wait_for_function(condition, arg=argument)
            self.check(id, True)
        except TimeoutError:
            self.check(id, False, page.locator("main").inner_text()[:500])

    def accessible(self, id, page):
        """Notes what axe finds in a page."""
        # Cards outside of the view are drawn, so that axe sees their colors.
        page.evaluate(
            "document.querySelectorAll('.card').forEach((card) => { card.style.contentVisibility = 'visible'; })")
        found = Axe().run(page).response["violations"]
        self.check(id, not found, [(rule["id"], [node["html"] for node in rule["nodes"]][:3]) for rule in found])

    def quiet(self, id="the console has no errors and no warnings"):
        self.check(id, not self.complaints, self.complaints)
        self.complaints = []
