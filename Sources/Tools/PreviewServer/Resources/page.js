"use strict";
// Replaces parts of the page by those that the server makes, and never builds markup from data.
(() => {
  const root = document.documentElement;
  const body = document.body;
  const result = document.getElementById("result");
  const parser = new DOMParser();
  const shown = new WeakMap();
  const openReasons = new Set();
  const shop = document.getElementById("shop");
  const drawer = document.getElementById("drawer");
  const NEAR = "1200px 0px";
  let query = body.dataset.query;
  let revision = Number(body.dataset.revision);
  let refreshing = null;
  let isStale = false;
  let hiding = 0;

  root.classList.add("scripted");

  async function text(path, options) {
    const answer = await fetch(path, options);
    const isResult = answer.headers.get("Content-Type") === "application/json";
    if (!answer.ok && !isResult) throw new Error("status " + answer.status);
    return answer.text();
  }

  function say(message) {
    result.textContent = "";
    clearTimeout(hiding);
    requestAnimationFrame(() => { result.textContent = message; });
    hiding = setTimeout(() => { result.textContent = ""; }, 8000);
  }

  // MARK: Ranges of products

  const markup = (element) => {
    if (!shown.has(element)) shown.set(element, element.outerHTML);
    return shown.get(element);
  };
  const near = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      entry.target.isNear = entry.isIntersecting;
      if (entry.isIntersecting) wanted.add(entry.target);
      else { wanted.delete(entry.target); empty(entry.target); }
    }
    fill();
  }, { root: shop, rootMargin: NEAR });
  const wanted = new Set();
  let isFilling = false;
  let rowHeight = 0;

  // Fetches one range after the other, the ones that came into view last first.
  async function fill() {
    if (isFilling) return;
    isFilling = true;
    try {
      for (let range; (range = [...wanted].pop()); ) {
        wanted.delete(range);
        if (!("empty" in range.dataset) || !range.isConnected) continue;
        const fragment = await text(`products?${query}&from=${range.dataset.from}&to=${range.dataset.to}`);
        if (!range.isNear) continue;
        const made = parser.parseFromString(fragment, "text/html").body;
        range.replaceChildren(...made.children);
        delete range.dataset.empty;
        range.style.blockSize = "";
        for (const card of range.children) if (openReasons.has(card.id)) card.querySelector(".why").open = true;
        await new Promise((done) => setTimeout(done));
      }
    } catch (error) {
      say("The preview does not answer: " + error.message);
    }
    isFilling = false;
  }

  // Empties a range that is far away, so that a page of 10,000 products remains small.
  function empty(range) {
    if ("empty" in range.dataset || range.contains(document.activeElement)) return;
    if (document.querySelectorAll(".range:not([data-empty])").length < 12) return;
    range.style.blockSize = range.offsetHeight + "px";
    range.replaceChildren();
    range.dataset.empty = "";
  }

  // Gives ranges without cards the height that their cards will have, about.
  function measure() {
    const ranges = [...document.querySelectorAll(".range")];
    const full = ranges.find((range) => !("empty" in range.dataset) && range.children.length);
    if (full) rowHeight = full.offsetHeight / full.children.length;
    for (const range of ranges) {
      if ("empty" in range.dataset && !range.style.blockSize)
        range.style.blockSize = Math.round((rowHeight || 120) * (range.dataset.to - range.dataset.from)) + "px";
      near.observe(range);
    }
  }

  // Shows the cards of a range, and leaves those that are the same as before.
  function showCards(old, made) {
    if ("empty" in made.dataset) {
      if (!("empty" in old.dataset)) old.style.blockSize = old.offsetHeight + "px";
      old.dataset.empty = "";
      return old.replaceChildren();
    }
    const [before, after] = [[...old.children], [...made.children]];
    delete old.dataset.empty;
    old.style.blockSize = "";
    if (before.length !== after.length) return old.replaceChildren(...after);
    before.forEach((card, index) => {
      const replacement = after[index];
      if (markup(card) === markup(replacement)) return;
      card.replaceWith(replacement);
      if (openReasons.has(replacement.id)) replacement.querySelector(".why").open = true;
    });
  }

  // Shows ranges: those with cards anew, all others when they come into view.
  function showRanges(old, made) {
    const [before, after] = [[...old.children], [...made.children]];
    const isSame = before.length === after.length && before.at(-1)?.dataset.to === after.at(-1)?.dataset.to;
    if (!isSame) return old.replaceWith(made);
    Object.assign(old, { lang: made.lang, dir: made.dir });
    before.forEach((range, index) => {
      showCards(range, after[index]);
      if (range.isNear && "empty" in range.dataset) wanted.add(range);
    });
    fill();
  }

  // MARK: Refreshing

  // Visible ranges are asked for with the other parts; all others are emptied, and fetched when they come into view.
  function refresh() {
    isStale = true;
    refreshing ??= (async () => {
      try {
        while (isStale) {
          isStale = false;
          const inView = [...document.querySelectorAll(".range:not([data-empty])")].filter((range) => {
            const box = range.getBoundingClientRect();
            return box.bottom > -200 && box.top < innerHeight + 200 || range.contains(document.activeElement);
          });
          const from = inView.length ? Math.min(...inView.map((range) => Number(range.dataset.from))) : 0;
          const to = inView.length ? Math.max(...inView.map((range) => Number(range.dataset.to))) : 1;
          show(parser.parseFromString(await text(`parts?${query}&from=${from}&to=${to}`), "text/html"));
        }
      } catch (error) {
        say("The preview does not answer: " + error.message);
      }
      refreshing = null;
    })();
    return refreshing;
  }

  function show(made) {
    const focused = document.activeElement;
    const focusedID = focused?.id;
    const card = focused?.closest?.(".card")?.id;
    const part = focused?.closest?.("[data-part]")?.dataset.part;
    for (const replacement of made.querySelectorAll("[data-part]")) {
      const old = document.querySelector(`[data-part="${replacement.dataset.part}"]`);
      if (replacement.dataset.part === "ranges") showRanges(old, replacement);
      else if (replacement.dataset.part === "filter" && old.contains(focused)) continue;
      else if (markup(old) !== markup(replacement)) {
        keepInputs(old, replacement);
        for (const details of old.querySelectorAll("details[id][open]")) {
          const next = replacement.querySelector(`#${CSS.escape(details.id)}`);
          if (next) next.open = true;
        }
        old.replaceWith(replacement);
      }
    }
    measure();
    if (focusedID && (document.activeElement === body || !document.activeElement)) {
      const next = document.getElementById(focusedID) ?? (card && document.getElementById(card + "-why"))
        ?? (part && document.querySelector(`[data-part="${part}"] :is(button, input:not([type="hidden"]), summary, a)`));
      (next ?? shop).focus({ preventScroll: true });
    }
  }

  // Keeps what was typed into a field that the server does not set.
  function keepInputs(old, replacement) {
    for (const input of old.querySelectorAll("input[id]")) {
      const next = replacement.querySelector(`#${CSS.escape(input.id)}`);
      const isTyped = input.value !== input.defaultValue && next?.defaultValue === input.defaultValue;
      if (isTyped) next.value = input.value;
    }
  }

  // MARK: What the customer does

  addEventListener("submit", async (event) => {
    const form = event.target;
    if (form.id === "filter") { event.preventDefault(); return chooseView(); }
    if (form.method !== "post") return;
    event.preventDefault();
    const button = event.submitter;
    if (button?.getAttribute("aria-disabled") === "true") return;
    button?.setAttribute("aria-disabled", "true");
    try {
      const answer = JSON.parse(await text(form.getAttribute("action"), {
        method: "POST", body: new URLSearchParams(new FormData(form, button)), headers: { Accept: "application/json" },
      }));
      // The shop is not in the state of a scene any more, which the address may name.
      setQuery(query);
      if (answer.succeeded) form.reset();
      say(answer.message);
      await refresh();
    } catch (error) {
      say("The preview does not answer: " + error.message);
    }
    button?.removeAttribute("aria-disabled");
  });

  // Sets the view of the page, and its address: the view's, or that of a scene.
  function setQuery(next, address = "?" + next) {
    query = next;
    if (location.search !== address) history.replaceState(null, "", address);
    const values = new URLSearchParams(query);
    root.dataset.device = values.get("device") ?? "computer";
    if (values.get("scheme")) root.dataset.scheme = values.get("scheme");
    else delete root.dataset.scheme;
  }

  // The view and the filter are the query of the page.
  function chooseView() {
    clearTimeout(typing);
    const values = new URLSearchParams(new FormData(document.getElementById("view")));
    const filter = document.getElementById("filter");
    if (filter) for (const name of ["search", "state"]) values.set(name, filter.elements[name].value);
    for (const [name, value] of [...values]) if (!value) values.delete(name);
    if (values.toString() === query) return;
    setQuery(values.toString());
    refresh().then(measure);
  }

  // A link to a scene leads to a whole page, of which the parts are shown, so that the panes stay where they are.
  addEventListener("click", async (event) => {
    const link = event.target.closest?.("a.scene");
    if (!link || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    const address = link.getAttribute("href");
    try {
      const made = parser.parseFromString(await text("./" + address), "text/html");
      setQuery(made.body.dataset.query, address);
      show(made);
      say(`“${link.querySelector("strong").textContent}” is open.`);
    } catch (error) {
      say("The preview does not answer: " + error.message);
    }
  });

  let typing = 0;
  addEventListener("change", (event) => {
    if (["view", "filter"].includes(event.target.form?.id)) chooseView();
  });
  addEventListener("input", (event) => {
    if (event.target.id !== "filter-text") return;
    clearTimeout(typing);
    typing = setTimeout(chooseView, 150);
  });

  // MARK: The drawer of a narrow screen

  function openDrawer(isOpen) {
    if (isOpen) root.dataset.drawer = "";
    else delete root.dataset.drawer;
    drawer.setAttribute("aria-expanded", isOpen);
  }
  const isNarrow = () => getComputedStyle(drawer).display !== "none";
  drawer.addEventListener("click", () => openDrawer(!("drawer" in root.dataset)));
  addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    const findings = document.querySelector("#findings[open]");
    if (findings) {
      findings.open = false;
      document.getElementById("findings-badge").focus();
    }
    if (findings || !("drawer" in root.dataset)) return;
    openDrawer(false);
    drawer.focus();
  });
  addEventListener("click", (event) => {
    const skip = event.target.closest?.("a.skip");
    if (skip?.hash === "#counter" && isNarrow()) openDrawer(true);
    if (event.target.closest?.("#shop")) openDrawer(false);
  });

  addEventListener("toggle", async (event) => {
    const details = event.target;
    if (!details.matches?.("details[data-product]")) return;
    const card = details.closest(".card").id;
    if (!details.open) return openReasons.delete(card);
    openReasons.add(card);
    try {
      const address = `why?${query}&product=${encodeURIComponent(details.dataset.product)}`;
      const reasons = await text(address, { headers: { Accept: "text/x-part" } });
      details.querySelector(".reasons").replaceChildren(...parser.parseFromString(reasons, "text/html").body.children);
    } catch (error) {
      say("The preview does not answer: " + error.message);
    }
  }, true);

  // MARK: Changes of the shop

  // A connection is kept only while the page is visible: browsers open few to one server.
  let source = null;
  function listen() {
    if (document.hidden) { source?.close(); source = null; return; }
    if (source) return;
    source = new EventSource("changes");
    source.onmessage = (event) => {
      const latest = Number(event.data);
      if (latest === revision) return;
      revision = latest;
      refresh();
    };
  }
  document.addEventListener("visibilitychange", listen);
  // After the first frame, which would otherwise wait for a layout and for the ranges that are not in view.
  requestAnimationFrame(() => setTimeout(() => {
    measure();
    listen();
  }));
})();
