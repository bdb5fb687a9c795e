// The operators' page. It reads with the requests under /v1/admin, and writes nothing. The token is in this variable
// alone, and what the server answers becomes text of the page, never markup.
let token = "";

const element = (id) => document.getElementById(id);
const state = { after: 0 };

/** Makes an element with properties and contents: elements, or values that become text. */
function make(name, properties = {}, ...contents) {
  const made = document.createElement(name);
  Object.assign(made, properties);
  made.append(...contents.map((content) => (content instanceof Node ? content : text(content))));
  return made;
}

const text = (value) => document.createTextNode(value === null || value === undefined ? "–" : String(value));
const dateStyle = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const numberStyle = new Intl.NumberFormat();
const number = (value) => (typeof value === "number" ? numberStyle.format(value) : value);

/** Makes a date as people of the browser's language and time zone write it; its title has the exact time in UTC. */
function date(milliseconds) {
  if (typeof milliseconds !== "number") return "–";
  const time = new Date(milliseconds);
  const exact = time.toISOString();
  return make("time", { dateTime: exact, title: exact.replace("T", " ").slice(0, 19) + " UTC" }, dateStyle.format(time));
}

/** Makes an identifier, which a table may break anywhere. */
const code = (value) => (value === null || value === undefined ? "–" : make("code", {}, value));

/** Makes the title of a product with its identifier. */
function product(identifier, titles = {}) {
  if (!identifier) return "–";
  const title = titles[identifier];
  return title ? make("span", {}, make("bdi", {}, title), make("br"), code(identifier)) : code(identifier);
}

const say = (message) => { element("status").textContent = message; };

/** Asks the server. */
async function ask(path) {
  const response = await fetch(path, {
    headers: { Authorization: `Bearer ${token}` }, credentials: "omit", cache: "no-store", redirect: "error",
    referrerPolicy: "no-referrer",
  });
  const reply = await response.json();
  if (!response.ok) throw Object.assign(new Error(reply.message), { status: response.status });
  return reply;
}

/** Runs an action, and says why it failed. */
async function run(action) {
  say("Loading …");
  try {
    await action();
    say("");
  } catch (error) {
    const isEntering = element("desk").hidden;
    if (error.status === 401) leave();
    say(error.status === 401
      ? isEntering ? "This token is wrong: it belongs to no operator of this server."
        : "The token is not valid any more. Enter it again, or a new one."
      : error.status ? error.message : "The server does not answer.");
  }
}

const path = (...names) => "/v1/admin/" + names.map(encodeURIComponent).join("/");

/** Makes a table. Cells are elements or values. On a narrow screen each row is a list, so that the roles are named. */
function table(caption, columns, rows) {
  if (rows.length === 0) return make("p", { className: "muted none" }, `${caption}: none.`);
  const cell = (column, content) => {
    const made = make("td", { role: "cell" }, make("span", { dir: "auto" }, content));
    made.dataset.label = column;
    if (content === null || content === undefined || content === "–") made.dataset.empty = "";
    return made;
  };
  const head = make("tr", { role: "row" },
    ...columns.map((column) => make("th", { scope: "col", role: "columnheader" }, column)));
  const body = rows.map((row) =>
    make("tr", { role: "row" }, ...row.map((content, index) => cell(columns[index], content))));
  const made = make("table", { role: "table" }, make("caption", {}, caption),
    make("thead", { role: "rowgroup" }, head), make("tbody", { role: "rowgroup" }, ...body));
  return make("div", { className: "scroller", tabIndex: 0, role: "region", ariaLabel: caption }, made);
}

function button(label, action) {
  const made = make("button", { type: "button" }, label);
  made.addEventListener("click", () => run(action));
  return made;
}

/** Shows contents in place of earlier ones, and moves the focus to them. */
function show(place, ...contents) {
  place.hidden = false;
  place.replaceChildren(...contents);
  place.focus();
}

// Token

async function enter() {
  const account = await ask(path("me"));
  element("account").textContent = `${account.name} (${account.role})`;
  for (const app of account.apps) element("app").append(make("option", { value: app }, app));
  element("enter").hidden = true;
  element("leave").hidden = false;
  element("desk").hidden = false;
  element("query").focus();
  element("found").replaceChildren(await customers());
}

function leave() {
  token = "";
  for (const id of ["found", "customer", "notifications", "account"]) element(id).replaceChildren();
  element("app").replaceChildren(make("option", { value: "" }, "All apps"));
  for (const id of ["customer", "desk", "leave"]) element(id).hidden = true;
  element("enter").hidden = false;
  element("token").focus();
}

// Customers

/** Makes the table of the customers that the search finds: the most recent ones for an empty search. */
async function customers() {
  const query = new URLSearchParams({ query: element("query").value.trim(), app: element("app").value });
  const reply = await ask(`${path("customers")}?${query}`);
  const rows = reply.customers.map((customer) => [
    button(customer.id, () => open(customer.id)), customer.app, date(customer.created), number(customer.sequence),
  ]);
  const caption = query.get("query") ? "Found customers" : "Recent customers";
  return table(caption, ["Customer", "App", "Known since", "Facts"], rows);
}

async function open(id) {
  const detail = await ask(path("customers", id));
  const products = detail.owned.map((owned) => {
    const name = detail.titles[owned] ?? owned;
    return [product(owned, detail.titles), button(`Why ${name}?`, () => why(id, owned))];
  });
  const facts = make("div");
  const reasons = make("div", { id: "reasons", tabIndex: -1 });
  show(
    element("customer"),
    make("h2", { id: "customer-heading" }, `Customer ${detail.customer.id}`),
    make("p", { className: "muted" }, `${detail.customer.app}, known since `, date(detail.customer.created)),
    table("Owned products", ["Product", "Reasons"], products),
    form("why-product", "Explain another product", (product) => why(id, product)),
    reasons,
    table("Wallets", ["Wallet", "Units"], 
      Object.entries(detail.wallets).map(([wallet, units]) => [wallet, number(units)])),
    table("Identities", ["Kind", "Value"], 
      detail.identities.map(({ kind, value }) => [words(kind), code(value)])),
    table(
      "Devices", ["Device", "Name", "Enrolled", "Seen", "Left"],
      detail.devices.map((device) => [
        code(device.id), device.name, date(device.created), date(device.seen), date(device.ended),
      ])),
    table(
      "Actions of operators", ["Date", "Operator", "Action", "Detail"],
      detail.actions.map((action) => [date(action.time), action.author, action.action, action.detail])),
    facts);
  state.after = 0;
  await more(id, facts);
}

/** Shows further facts of a customer. */
async function more(id, place) {
  const query = new URLSearchParams({ after: state.after, limit: 100 });
  const reply = await ask(`${path("customers", id, "facts")}?${query}`);
  const rows = reply.facts.map((fact) => {
    const { sequence, kind, recordedAt, productIdentifier, wallet, amount, quantity, reason, signedData, ...others } = fact;
    const units = amount ?? (quantity > 1 ? quantity : null);
    return [
      number(sequence), words(kind), date(recordedAt), product(productIdentifier, reply.titles), wallet, number(units),
      reason, fields(others),
    ];
  });
  place.querySelector("button.more")?.remove();
  const columns = ["Number", "Kind", "Date", "Product", "Wallet", "Amount", "Reason", "Further"];
  place.append(table(`Facts from ${number(state.after + 1)}`, columns, rows));
  if (rows.length === 0) return;
  state.after = reply.facts.at(-1).sequence;
  const further = button("More facts", () => more(id, place));
  further.classList.add("more");
  place.append(further);
}

/** Returns a name of the interface in words: "purchaseDate" as "purchase date". */
const words = (name) =>
  name.replace(/([a-z])([A-Z])/g, "$1 $2").replace(/([A-Z]+)([A-Z][a-z])/g, "$1 $2").split(" ")
    .map((word) => (/^[A-Z]+$/.test(word) ? word : word.toLowerCase())).join(" ");

/** Makes a list of further fields, which is closed at first. */
function fields(values) {
  const items = Object.entries(values).filter(([, value]) => value !== null && value !== undefined).map(([name, value]) =>
    make("div", {}, make("dt", {}, words(name)), make("dd", {}, field(name, value))));
  return make("details", {}, make("summary", {}, "Details"), make("dl", {}, ...items));
}

/** Makes the value of a field: dates and truth values in words, JSON as further fields, and all others as text. */
function field(name, value) {
  if (/(Date|At|moment)$/.test(name) && typeof value === "number") return date(value);
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return number(value);
  if (name === "renewalTerms") return renewal(value);
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Makes the terms of a renewal, whose price is in thousandths of the currency's unit. */
function renewal(json) {
  let terms;
  try { terms = JSON.parse(json); } catch { return json; }
  const { price, currency, ...others } = terms;
  if (typeof price === "number") {
    const amount = price / 1000;
    others.price = currency ? new Intl.NumberFormat(undefined, { style: "currency", currency }).format(amount) : amount;
  }
  return Object.entries(others).map(([name, value]) => `${words(name)}: ${typeof value === "boolean" ? (value ? "yes" : "no")
    : typeof value === "object" ? JSON.stringify(value) : value}`).join("; ");
}

async function why(id, product) {
  const { lines } = await ask(path("customers", id, "why", product));
  show(element("reasons"), make("h3", {}, `Why ${product}`), ...lines.map((line) => make("p", { className: "why" }, line)));
}

/** Makes a form with one field. */
function form(id, label, action) {
  const input = make("input", { id, required: true, maxLength: 255, spellcheck: false });
  const made = make("form", { autocomplete: "off" }, make("label", { htmlFor: id }, label), input, make("button", {}, "Show"));
  made.addEventListener("submit", (event) => {
    event.preventDefault();
    run(() => action(input.value.trim()));
  });
  return made;
}

// Notifications

async function notifications() {
  const query = new URLSearchParams({ state: element("state").value, app: element("app").value, limit: 100 });
  const reply = await ask(`${path("notifications")}?${query}`);
  const rows = reply.notifications.map((sent) => [
    date(sent.received), sent.app, sent.subtype ? `${sent.type} ${sent.subtype}` : sent.type, sent.state, sent.reason,
    sent.customer ? button(sent.customer, () => open(sent.customer)) : null, code(sent.id),
  ]);
  const columns = ["Received", "App", "Type", "State", "Reason", "Customer", "Identifier"];
  show(element("notifications"), table("Notifications, the newest first", columns, rows));
}

// Controls

const submit = (id, action) => element(id).addEventListener("submit", (event) => {
  event.preventDefault();
  run(action);
});

submit("enter", async () => {
  token = element("token").value.trim();
  element("token").value = "";
  await enter();
});
submit("search", async () => show(element("found"), await customers()));
submit("filter", notifications);
element("leave").addEventListener("click", () => {
  leave();
  say("");
});
