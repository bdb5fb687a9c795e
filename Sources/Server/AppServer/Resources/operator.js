// The operators' page. It reads with the requests under /v1/admin, and writes nothing. The token is in this variable
// alone, and what the server answers becomes text of the page, never markup.
let token = "";

const element = (id) => document.getElementById(id);
const state = { after: 0, before: null };

/** Makes an element with properties and contents: elements, or values that become text. */
function make(name, properties = {}, ...contents) {
  const made = document.createElement(name);
  Object.assign(made, properties);
  made.append(...contents.map((content) => (content instanceof Node ? content : text(content))));
  return made;
}

const text = (value) => document.createTextNode(value === null || value === undefined ? "–" : String(value));
const date = (milliseconds) =>
  typeof milliseconds === "number" ? new Date(milliseconds).toISOString().replace("T", " ").slice(0, 19) + " UTC" : "–";
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
    if (error.status === 401) leave();
    say(error.status ? error.message : "The server does not answer.");
  }
}

const path = (...names) => "/v1/admin/" + names.map(encodeURIComponent).join("/");

/** Makes a table. Cells are elements or values. */
function table(caption, columns, rows) {
  if (rows.length === 0) return make("p", { className: "muted" }, `${caption}: none.`);
  const head = make("tr", {}, ...columns.map((column) => make("th", { scope: "col" }, column)));
  const body = rows.map((row) => make("tr", {}, ...row.map((cell) => make("td", {}, cell))));
  const made = make("table", {}, make("caption", {}, caption), make("thead", {}, head), make("tbody", {}, ...body));
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

async function search() {
  const query = new URLSearchParams({ query: element("query").value.trim(), app: element("app").value });
  const { customers } = await ask(`${path("customers")}?${query}`);
  const rows = customers.map((customer) => [
    button(customer.id, () => open(customer.id)), customer.app, date(customer.created), customer.sequence,
  ]);
  show(element("found"), table("Customers", ["Customer", "App", "Known since", "Facts"], rows));
}

async function open(id) {
  const detail = await ask(path("customers", id));
  const products = detail.owned.map((product) => [product, button(`Why ${product}?`, () => why(id, product))]);
  const facts = make("div");
  const reasons = make("div", { id: "reasons", tabIndex: -1 });
  show(
    element("customer"),
    make("h2", { id: "customer-heading" }, `Customer ${detail.customer.id}`),
    make("p", { className: "muted" }, `${detail.customer.app}, known since ${date(detail.customer.created)}`),
    table("Owned products", ["Product", "Reasons"], products),
    form("why-product", "Explain another product", (product) => why(id, product)),
    reasons,
    table("Wallets", ["Wallet", "Units"], Object.entries(detail.wallets)),
    table("Identities", ["Kind", "Value"], detail.identities.map(({ kind, value }) => [kind, value])),
    table(
      "Devices", ["Device", "Name", "Enrolled", "Seen", "Left"],
      detail.devices.map((device) => [
        device.id, device.name, date(device.created), date(device.seen), date(device.ended),
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
    const { sequence, kind, recordedAt, signedData, ...others } = fact;
    return [sequence, kind, date(recordedAt), JSON.stringify(others)];
  });
  place.querySelector("button.more")?.remove();
  place.append(table(`Facts from ${state.after + 1}`, ["Number", "Kind", "Date", "Fact"], rows));
  if (rows.length === 0) return;
  state.after = rows.at(-1)[0];
  const further = button("More facts", () => more(id, place));
  further.classList.add("more");
  place.append(further);
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
    sent.customer ? button(sent.customer, () => open(sent.customer)) : null, sent.id,
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
submit("search", search);
submit("filter", notifications);
element("leave").addEventListener("click", () => {
  leave();
  say("");
});
