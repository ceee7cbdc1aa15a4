// The table of the arms: searched, sorted, and updated in place, so that no click is lost.
import { colourOf, drawInterval, paleOf, shown } from "./chart.js";

const FIRST_ROWS = 100, MORE_ROWS = 500; // a browser lays out a few hundred rows at once
const find = (id) => document.getElementById(id);
const percent = (share, digits = 1) => `${(100 * share).toFixed(digits)}%`;
const chance = (p) => (p < 0.0005 ? "<0.1%" : p < 0.0995 ? percent(p) : p > 0.995 && p < 1 ? ">99%" : percent(p, 0));
const waiting = (arm) => arm.pending + arm.given_up;

// key, heading, its class, what it is sorted by, its text, what it means
const COLUMNS = [
  { key: "arm", by: (arm) => arm.name, means: "Its name, and its state if it rests." },
  { key: "mean", by: (arm) => arm.mean, text: shown, means: "The mean of its rewards, weighed by the evidence." },
  { key: "95 % interval", kind: "words", by: (arm) => arm.interval && arm.interval[0], text: () => "",
    means: "With probability 95 % the intervals of all arms hold, at every look at once; sorted by its lower end." },
  { key: "share", by: (arm) => arm.share, text: (share) => percent(share), means: "Its share of all decisions." },
  { key: "P(best)", kind: "best", by: (arm) => arm.probability_best, text: (p) => (p === null ? "" : chance(p)),
    means: "The probability that its mean is the largest of all active arms' means, by the family's prior and the rewards so far." },
  { key: "pulls", by: (arm) => arm.pulls, text: shown, means: "How many rewards it has had, default rewards included." },
  { key: "worth now", kind: "worth", by: (arm) => arm.effective_pulls, text: shown, means: "Effective pulls: what the evidence has left of them." },
  { key: "pending", by: waiting, text: shown, means: "Decisions whose reward has not come." },
  { key: "index", kind: "index", by: (arm) => arm.index, text: shown, means: "The policy's index: it plays the arm with the largest." },
];
const sorting = { column: null, down: true }; // no column: the arms' own order, or many arms by share
let limit = FIRST_ROWS, rows = new Map(), ofExperiment = "", last = null;

export const make = (tag, text, kind = "") => {
  const made = document.createElement(tag);
  made.textContent = text;
  if (kind) made.className = kind;
  return made;
};

const sortBy = (column) => {
  const first = column !== COLUMNS[0]; // numbers begin with the largest, names with A
  if (sorting.column !== column) Object.assign(sorting, { column, down: first });
  else if (sorting.down === first) sorting.down = !first;
  else sorting.column = null;
  find("sort").value = sorting.column ? sorting.column.key : "";
  redraw();
};
const redraw = () => { if (last) showArms(...last); };

// Called once: the headings, the ways to search and sort, and what the columns mean.
export const prepareArms = () => {
  const heads = COLUMNS.map((column) => {
    const head = make("th", "", column.kind), button = make("button", column.key);
    button.type = "button";
    button.title = column.means;
    button.addEventListener("click", () => sortBy(column));
    head.scope = "col";
    head.append(button);
    return head;
  });
  find("arms").tHead.rows[0].append(...heads, make("td", ""));
  find("sort").append(new Option("the usual order", ""), ...COLUMNS.map((each) => new Option(each.key)));
  find("sort").addEventListener("change", (event) => {
    const column = COLUMNS.find((each) => each.key === event.target.value) || null;
    Object.assign(sorting, { column, down: column !== COLUMNS[0] });
    redraw();
  });
  find("search").addEventListener("input", () => { limit = FIRST_ROWS; redraw(); });
  find("show-more").addEventListener("click", () => { limit += MORE_ROWS; redraw(); });
  find("meanings").append(...COLUMNS.flatMap((each) => [make("dt", each.key, each.kind), make("dd", each.means, each.kind)]));
};

// The places of the arms that match the search, in the order that was chosen.
const ordered = (arms) => {
  const wanted = find("search").value.trim().toLowerCase();
  const places = arms.map((_, place) => place).filter((place) => arms[place].name.toLowerCase().includes(wanted));
  const column = sorting.column || (arms.length > FIRST_ROWS ? COLUMNS[3] : null);
  if (!column) return places;
  const sign = (sorting.column ? sorting.down : true) ? -1 : 1;
  return places.sort((a, b) => {
    const [one, other] = [column.by(arms[a]), column.by(arms[b])];
    if (one === null || other === null) return (one === null) - (other === null) || a - b;
    return sign * (typeof one === "string" ? one.localeCompare(other, undefined, { numeric: true }) : one - other) || a - b;
  });
};

const makeRow = (act) => {
  const row = document.createElement("tr");
  row.append(...COLUMNS.map(({ key, kind }, k) => {
    const cell = make(k ? "td" : "th", "", kind);
    cell.dataset.label = key;
    return cell;
  }));
  const button = make("button", "");
  button.type = "button";
  button.addEventListener("click", () => act(row.dataset.arm, button.dataset.state));
  const cell = make("td", "", "act");
  cell.append(button);
  row.append(cell);
  return row;
};
// colour: of the arm in the chart of shares; "" if there is none.
const fillRow = (row, arm, place, colour, { low, high, ended }) => {
  const now = JSON.stringify([arm, colour, low, high, ended]);
  if (row.dataset.shown === now) return;
  Object.assign(row.dataset, { shown: now, arm: arm.name });
  COLUMNS.forEach((column, k) => { if (k) row.cells[k].textContent = column.text(column.by(arm)); });
  const swatch = make("i", "", "swatch");
  swatch.hidden = !colour;
  swatch.style.background = colour;
  swatch.style.opacity = paleOf(place);
  row.cells[0].replaceChildren(swatch, arm.name, ...(arm.state === "active" ? [] : [make("small", arm.reason ? `${arm.state}: ${arm.reason}` : arm.state)]));
  if (arm.mean !== null) {
    const words = arm.interval ? `${shown(arm.interval[0], 3)} to ${shown(arm.interval[1], 3)}` : "";
    row.cells[2].replaceChildren(drawInterval(arm, low, high, colour || "var(--link)"), make("small", words));
  }
  row.cells[7].title = arm.given_up ? `${shown(arm.given_up)} of them so old that the policy no longer counts on a reward` : "";
  row.className = arm.state === "active" ? "" : "rests";
  const button = row.lastChild.firstChild;
  button.textContent = arm.state === "paused" ? "resume" : "pause";
  button.setAttribute("aria-label", `${button.textContent} ${arm.name}`);
  button.dataset.state = arm.state === "paused" ? "active" : "paused";
  button.hidden = ended || arm.state === "retired";
};

// view: the experiment. act(arm, state): asked to change an arm's state.
export const showArms = (view, act) => {
  last = [view, act];
  if (ofExperiment !== view.name) { rows = new Map(); limit = FIRST_ROWS; ofExperiment = view.name; find("search").value = ""; }
  const arms = view.arms, none = (field) => arms.every((arm) => arm[field] === null);
  const counts = view.evidence.name === "Counting", featured = none("effective_pulls");
  const gone = [none("index") && "no-index", none("probability_best") && "no-best", (counts || featured) && "no-worth"];
  find("arms").className = find("meanings").className = gone.filter(Boolean).join(" ");
  find("find-arms").hidden = arms.length < 8;
  const ends = arms.filter((arm) => arm.mean !== null).flatMap((arm) => [arm.mean, ...(arm.interval || [])]);
  const least = (a, b) => Math.min(a, b), largest = (a, b) => Math.max(a, b); // a call takes some 100,000 arguments at most
  const all = { low: ends.reduce(least, Infinity), high: ends.reduce(largest, -Infinity), ended: Boolean(view.ended) };
  const places = ordered(arms), visible = places.slice(0, limit);
  const wanted = visible.map((place) => {
    if (!rows.has(place)) rows.set(place, makeRow(act));
    fillRow(rows.get(place), arms[place], place, view.traffic.length ? colourOf(place) : "", all);
    return rows.get(place);
  });
  const body = find("arms").tBodies[0];
  if (wanted.length !== body.rows.length || wanted.some((row, k) => row !== body.rows[k])) body.replaceChildren(...wanted);
  [...find("arms").tHead.rows[0].cells].forEach((head, k) => {
    if (COLUMNS[k] && COLUMNS[k] === sorting.column) head.setAttribute("aria-sort", sorting.down ? "descending" : "ascending");
    else head.removeAttribute("aria-sort");
  });
  const notes = [];
  if (places.length < arms.length) notes.push(`${places.length.toLocaleString()} of ${arms.length.toLocaleString()} arms match.`);
  if (visible.length < places.length) notes.push(`The first ${limit}${sorting.column ? "" : ", by their share,"} of ${places.length.toLocaleString()} are shown.`);
  if (none("probability_best") && !featured && arms.length > 1000) notes.push("P(best) is computed for at most 1,000 active arms.");
  if (featured) notes.push("Means are those of each arm's rewards, whatever its features were. Which arm is best depends on the features of the moment.");
  else if (!counts) notes.push("Means are of what the evidence has left of the rewards.");
  find("more").textContent = notes.join(" ");
  find("show-more").hidden = visible.length === places.length;
  find("show-more").textContent = `Show ${Math.min(MORE_ROWS, places.length - visible.length)} more`;
};
