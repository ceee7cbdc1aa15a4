// The page: it asks the service every two seconds, and never changes anything.
"use strict";
const SECONDS = 2, MOST_ROWS = 200, LAST = 12;
const find = (id) => document.getElementById(id);
const shown = (value, digits = 4) => (value === null || value === undefined ? "" : Number(value.toPrecision(digits)).toLocaleString(undefined, { maximumSignificantDigits: digits }));
const cell = (tag, text, kind = "") => { const made = document.createElement(tag); made.textContent = text; if (kind) made.className = kind; return made; };
const chosen = () => decodeURIComponent(location.hash.slice(1));
let key = sessionStorage.getItem("rbmle-key") || "";

class Refusal extends Error {
  constructor(status, sentence) { super(sentence); this.status = status; }
}
const ask = async (path) => {
  const headers = key ? { Authorization: `Bearer ${key}` } : {};
  const answer = await fetch(path, { headers, cache: "no-store" });
  const text = await answer.text();
  if (!answer.ok) { let told = text; try { told = JSON.parse(text).error; } catch { /* not ours */ } throw new Refusal(answer.status, told); }
  return text;
};

const showList = (experiments) => {
  find("list").replaceChildren(...experiments.map((each) => {
    const link = cell("a", each.name);
    link.href = `#${encodeURIComponent(each.name)}`;
    if (each.name === chosen()) link.setAttribute("aria-current", "page");
    link.append(cell("small", `${each.decisions.toLocaleString()} decisions, ${each.pending.toLocaleString()} pending`));
    return link;
  }));
};
const commands = (name) => {
  const at = `curl ${location.origin}/v1`;
  return [
    `${at}/experiments/${name} -X PUT -d '{"arms": ["a", "b"], "policy": {"name": "RBMLE"}, "family": {"name": "Bernoulli"}}'`,
    `${at}/experiments/${name}/decisions -d '{"id": "visit-1"}'`,
    `${at}/decisions/visit-1/reward -X PUT -d '{"value": 1}'`,
  ].join("\n");
};
const showArms = (view) => {
  const counts = view.evidence.name === "Counting", all = (field) => view.arms.every((arm) => arm[field] === null);
  find("arms").className = [all("index") && "no-index", all("probability_best") && "no-best", (counts || all("effective_pulls")) && "no-worth"].filter(Boolean).join(" ");
  const means = view.arms.filter((arm) => arm.mean !== null).flatMap((arm) => [arm.mean, ...(arm.interval || [])]);
  const low = Math.min(...means), high = Math.max(...means);
  const order = view.arms.map((_, place) => place);
  if (order.length > MOST_ROWS) order.sort((a, b) => view.arms[b].share - view.arms[a].share).splice(MOST_ROWS);
  const notes = view.arms.length > MOST_ROWS ? [`The ${MOST_ROWS} arms with the largest share, of ${view.arms.length}.`] : [];
  if (all("effective_pulls")) notes.push("Means are those of each arm's rewards, whatever its features were. Which arm is best depends on the features of the moment.");
  else if (!counts) notes.push("Means and intervals are of what the evidence has left of the rewards.");
  find("more").textContent = notes.join(" ");
  find("arms").tBodies[0].replaceChildren(...order.map((place) => {
    const arm = view.arms[place], row = document.createElement("tr"), name = cell("th", "");
    const swatch = cell("i", "", "swatch");
    swatch.style.background = colourOf(place);
    swatch.style.opacity = paleOf(place);
    name.append(swatch, arm.name);
    if (arm.state !== "active") name.append(cell("small", arm.state));
    name.title = arm.name;
    const interval = cell("td", "", "words");
    if (arm.mean !== null) {
      interval.append(drawInterval(arm, low, high, place));
      interval.title = arm.interval ? `${shown(arm.interval[0])} to ${shown(arm.interval[1])}` : "";
    }
    const waiting = cell("td", (arm.pending + arm.given_up).toLocaleString());
    if (arm.given_up) waiting.title = `${arm.given_up.toLocaleString()} of them so old that the policy no longer counts on a reward`;
    if (arm.state !== "active") row.className = "rests";
    const best = arm.probability_best === null ? "" : `${Math.round(100 * arm.probability_best)}%`;
    row.append(name, cell("td", shown(arm.mean)), interval, cell("td", `${(100 * arm.share).toFixed(1)}%`), cell("td", best, "best"),
      cell("td", arm.pulls.toLocaleString()), cell("td", shown(arm.effective_pulls), "worth"), waiting, cell("td", shown(arm.index), "index"));
    return row;
  }));
};
const showLast = (view, lines) => {
  const rows = lines.split("\n").filter(Boolean).map((line) => JSON.parse(line));
  const paid = new Map(rows.filter((row) => row.of).map((row) => [row.of, row.kind === "reward" ? shown(row.value) : "expired"]));
  const made = rows.filter((row) => row.kind === "decision").reverse().slice(0, LAST);
  find("last").tBodies[0].replaceChildren(...made.map((row) => {
    const line = document.createElement("tr");
    const arm = view.arms[row.arm] ? view.arms[row.arm].name : "";
    const played = cell("td", arm);
    if (row.context) played.title = `features: ${(Array.isArray(row.context[row.arm]) ? row.context[row.arm] : row.context).join(", ")}`;
    line.append(cell("th", row.id), played, cell("td", row.t.toLocaleString()), cell("td", paid.get(row.seq) || ""), cell("td", new Date(1000 * row.at).toLocaleTimeString()));
    return line;
  }));
};
// Evidence as one would write it, "Linear(dimension=2, ridge=1, shared=true), "; nothing where every reward counts once.
const evidence = ({ name, ...given }) => (name === "Counting" ? "" : `${name}(${Object.entries(given).map(([key, value]) => `${key}=${value}`).join(", ")}), `);
const showOne = async (name) => {
  const path = `v1/experiments/${encodeURIComponent(name)}`;
  const view = JSON.parse(await ask(path));
  const lines = await ask(`${path}/events?after=${Math.max(0, view.last_seq - 6 * LAST)}`);
  find("name").textContent = view.name;
  const wait = view.reward_wait_s === null ? "Rewards are waited for without end." : `A reward that has not come after ${view.reward_wait_s} s ${view.default_reward === null ? "is withdrawn" : `counts as ${view.default_reward}`}.`;
  find("what").textContent = `${view.policy.name}, ${view.family.name} rewards, ${evidence(view.evidence)}seed ${view.seed}. ${wait}`;
  if (view.warning) find("what").append(cell("strong", ` ${view.warning}`));
  const facts = { decisions: view.decisions, rewards: view.rewards, pending: view.pending, expired: view.expired, "paid in all": view.paid, "gained over equal shares": view.gain };
  find("facts").replaceChildren(...Object.entries(facts).filter(([, value]) => value !== null).map(([word, value]) => {
    const box = document.createElement("div");
    box.append(cell("dt", word === "gained over equal shares" ? `${word} (estimate)` : word), cell("dd", Number.isInteger(value) ? value.toLocaleString() : shown(value)));
    return box;
  }));
  find("traffic-figure").hidden = !view.traffic.length;
  drawTraffic(find("traffic"), find("told"), view.arms, view.traffic);
  showArms(view);
  showLast(view, lines);
};
const look = async () => {
  try {
    const { experiments } = JSON.parse(await ask("v1/experiments"));
    if (experiments.length && !experiments.some((each) => each.name === chosen())) location.replace(`#${encodeURIComponent(experiments[0].name)}`);
    showList(experiments);
    find("ask").hidden = true;
    find("empty").hidden = experiments.length > 0;
    find("commands").textContent = commands("first");
    find("one").hidden = !experiments.length;
    if (experiments.length) await showOne(chosen());
    find("state").className = "";
    find("state").textContent = `as of ${new Date().toLocaleTimeString()}`;
  } catch (problem) {
    find("state").className = "bad";
    find("state").textContent = problem instanceof Refusal ? problem.message : "The service cannot be reached; trying again.";
    if (problem.status === 401) { find("ask").hidden = false; find("one").hidden = true; find("list").replaceChildren(); }
  }
};
let timer = 0;
const keepLooking = async () => {
  clearTimeout(timer);
  if (!document.hidden) await look();
  timer = setTimeout(keepLooking, 1000 * SECONDS);
};
find("ask").addEventListener("submit", (event) => { event.preventDefault(); key = find("key").value.trim(); sessionStorage.setItem("rbmle-key", key); keepLooking(); });
addEventListener("hashchange", keepLooking);
document.addEventListener("visibilitychange", keepLooking);
keepLooking();
