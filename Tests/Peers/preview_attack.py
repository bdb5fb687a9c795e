"""Pages of other origins that know the address of the preview, the worst case, and try to use it."""

import http.server
import threading

PAGE = """<!DOCTYPE html><title>Another site</title><body><script>
const url = %s;
window.got = [];
const note = (what) => window.got.push(what);
const tries = [
  fetch(url).then((answer) => answer.text()).then(() => note("fetch")).catch(() => 0),
  fetch(url, { mode: "no-cors" }).then((answer) => answer.text())
    .then((text) => text && note("fetch without CORS")).catch(() => 0),
  fetch(url + "actions", { method: "POST", mode: "no-cors", body: new URLSearchParams(FORM) }).catch(() => 0),
  fetch(url + "actions", { method: "POST", body: new URLSearchParams(FORM) })
    .then(() => note("fetch a form")).catch(() => 0),
  fetch(url + "products", { credentials: "include" }).then(() => note("fetch with credentials")).catch(() => 0),
];
function element(name, address, values = {}) {
  const made = Object.assign(document.createElement(name), values);
  tries.push(new Promise((done) => {
    made.onload = () => { note(name); done(); };
    made.onerror = done;
    setTimeout(done, 1500);
  }));
  made[name === "link" ? "href" : "src"] = address;
  document.body.append(made);
  return made;
}
element("img", url + "icon.svg");
element("script", url + "page.js");
element("link", url + "style.css", { rel: "stylesheet" });
const source = new EventSource(url + "changes");
source.onmessage = () => note("events");
const frame = document.createElement("iframe");
frame.name = "frame";
frame.src = url;
document.body.append(frame);
const form = document.createElement("form");
Object.assign(form, { method: "post", action: url + "actions", target: "frame" });
for (const [name, value] of Object.entries(FORM))
  form.append(Object.assign(document.createElement("input"), { name, value }));
document.body.append(form);
setTimeout(() => form.submit(), 300);
Promise.all(tries).then(() => setTimeout(() => {
  try { if (frame.contentDocument && frame.contentDocument.body.textContent) note("frame"); } catch {}
  window.done = true;
}, 1200));
</script>"""


class Site(http.server.BaseHTTPRequestHandler):
    page = b""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(self.page)

    def log_message(self, *arguments):
        pass


def attack(browser, asked):
    form = "{ action: 'network', state: 'off' }"
    Site.page = (PAGE % repr(asked["url"])).replace("FORM", form).encode()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    own = browser.open(asked["url"])
    before = own.evaluate("document.querySelectorAll('.timeline li').length")
    for name in ("127.0.0.1", "localhost"):
        other = browser.open(f"http://{name}:{server.server_port}/")
        other.wait_for_function("window.done === true")
        browser.check(f"a page of {name} gets nothing", other.evaluate("window.got") == [],
            other.evaluate("window.got"))
        # A link of another page: the browser says where it was followed.
        with other.expect_response(asked["url"]) as answer:
            other.evaluate("(url) => { location.href = url; }", asked["url"])
        browser.check(f"a link on a page of {name} shows nothing", answer.value.status == 403, answer.value.status)
    own.reload()
    browser.check("nothing was done", own.evaluate("document.querySelectorAll('.timeline li').length") == before)
    browser.check("the own page still answers", own.locator(".card").count() > 0)
    server.shutdown()
