// The page: it asks the service every two seconds, and changes only what a button says.
import { make as cell, prepareArms, showArms } from "./arms.js";
import { drawBuckets, drawTraffic, momentText, shown } from "./chart.js";
import { addressOf, ask, chosen, Refusal, useKey } from "./service.js";

const SECONDS = 2, FEWEST_BUCKETS = 12; // of which a chart has room at least, so that one bar is not a wall
const find = (id) => document.getElementById(id);
const WIDTHS = { 60: "minute", 3600: "hour", 86400: "day" };
let width = 0; // of a bar, in seconds; 0 until somebody chooses one
let drawn = ""; // what the page shows, as it came
let seen = null; // the same, read

// Elements are kept and filled again: a click on one that was replaced meanwhile would be lost.
const showList = (experiments) => {
  const list = find("list");
  while (list.children.length > experiments.length) list.lastChild.remove();
  experiments.forEach((each, k) => {
    const link = list.children[k] || list.appendChild(cell("a", ""));
    if (!link.children.length) link.append(cell("span", ""), cell("small", ""));
    link.href = `#${encodeURIComponent(each.name)}`;
    if (each.name === chosen()) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
    link.firstChild.textContent = each.name;
    const now = each.ended ? "ended" : `${shown(each.pending)} pending`;
    link.lastChild.textContent = `${shown(each.decisions)} decisions, ${now}`;
  });
};
const commands = (name) => {
  const at = `curl ${location.origin}/v1`;
  return [
    `${at}/experiments/${name} -X PUT -d '{"arms": ["a", "b"], "policy": {"name": "RBMLE"}, "family": {"name": "Bernoulli"}}'`,
    `${at}/experiments/${name}/decisions -d '{"id": "visit-1"}'`,
    `${at}/decisions/visit-1/reward -X PUT -d '{"value": 1}'`,
  ].join("\n");
};

// The widest view that is not too coarse: minutes for three hours, hours for a week, then days.
const usualWidth = (view) => {
  const days = view.over_time.at(-1), since = view.updated - days.at[0];
  return since > 8 * 86400 ? 86400 : view.over_time[0].at.length && view.over_time[1].at.length <= 3 ? 60 : 3600;
};
const showOverTime = (view) => {
  find("over-time").hidden = !view.over_time.at(-1).at.length;
  if (find("over-time").hidden) return;
  const seconds = width || usualWidth(view), word = WIDTHS[seconds];
  const buckets = view.over_time.find((each) => each.seconds === seconds), { at, decisions, rewards, paid } = buckets;
  for (const button of find("widths").children) button.setAttribute("aria-pressed", Number(button.value) === seconds);
  for (const each of document.querySelectorAll("#over-time .width")) each.textContent = word;
  const high = at.at(-1) + seconds, low = Math.min(at[0], high - FEWEST_BUCKETS * seconds);
  const mean = rewards.map((n, k) => (n ? paid[k] / n : null));
  const from = view.paid - paid.reduce((a, b) => a + b, 0); // what was paid before the first bucket
  let sum = from;
  const cumulative = paid.map((each) => (sum += each));
  const about = (k) => {
    const when = momentText(at[k], seconds, word === "day"), of = rewards[k] ? `, mean ${shown(mean[k])}` : "";
    return `${when}: ${shown(decisions[k])} decisions, ${shown(rewards[k])} rewards${of}; ${shown(cumulative[k])} in all`;
  };
  const put = (id, label, lines) => drawBuckets(find(id), buckets, low, high, { label, about, ...lines });
  put("volume", `Decisions and rewards per ${word}`, { bars: decisions, line: rewards });
  put("means", `Mean reward per ${word}`, { line: mean });
  put("cumulative", "Cumulative reward", { line: cumulative, from });
};
const showLast = (view) => {
  find("last").tBodies[0].replaceChildren(...view.last.map((each) => {
    const line = document.createElement("tr"), arm = cell("td", each.arm, "name");
    if (each.features) arm.title = `features: ${each.features.join(", ")}`;
    const words = { pending: "", rewarded: shown(each.reward), expired: each.reward === null ? "expired" : `expired: ${shown(each.reward)}` };
    const time = cell("td", momentText(each.at, 1, false), "when");
    line.append(cell("th", each.id), arm, cell("td", shown(each.t)), cell("td", words[each.state]), time);
    ["id", "arm", "round", "reward", "time"].forEach((label, k) => { line.cells[k].dataset.label = label; });
    return line;
  }));
};
// Evidence as one would write it, "Linear(dimension=2, ridge=1, shared=true), "; nothing where every reward counts once.
const evidence = ({ name, ...given }) => {
  const parameters = Object.entries(given).map(([key, value]) => `${key}=${value}`);
  return name === "Counting" ? "" : `${name}(${parameters.join(", ")}), `;
};
const deadline = (view) => {
  if (view.reward_wait_s === null) return "Rewards are waited for without end.";
  const then = view.default_reward === null ? "is withdrawn" : `counts as ${view.default_reward}`;
  return `A reward that has not come after ${view.reward_wait_s} s ${then}.`;
};
const showOne = (view) => {
  seen = view;
  find("name").replaceChildren(view.name, ...(view.ended ? [cell("small", " ended")] : []));
  find("end").hidden = view.ended;
  const { policy, family, seed } = view;
  find("what").textContent = `${policy.name}, ${family.name} rewards, ${evidence(view.evidence)}seed ${seed}. ${deadline(view)}`;
  if (view.warning) find("what").append(cell("strong", ` ${view.warning}`));
  if (view.verdict) find("what").append(cell(view.safe_to_stop ? "strong" : "span", ` ${view.verdict[0].toUpperCase()}${view.verdict.slice(1)}.`));
  const { decisions, rewards, pending, expired } = view;
  const facts = { decisions, rewards, pending, expired, "paid in all": view.paid, "gained over equal shares (estimate)": view.gain };
  find("facts").replaceChildren(...Object.entries(facts).filter(([, value]) => value !== null).map(([word, value]) => {
    const box = document.createElement("div");
    box.append(cell("dt", word), cell("dd", shown(value)));
    return box;
  }));
  find("traffic-figure").hidden = !view.traffic.length;
  if (view.traffic.length) drawTraffic(find("traffic"), view.arms, view.traffic);
  showOverTime(view);
  const arms = `${addressOf(view.name)}/arms`;
  showArms(view, (arm, state) => act(`${arms}/${encodeURIComponent(arm)}`, "PATCH", { state }, `${arm} is ${state}.`));
  showLast(view);
};

// The experiment as the service tells it, and why not: there is none, or its code is being compiled.
const askOne = async (name) => {
  try { return [await (await ask(addressOf(name))).text(), ""]; } catch (problem) {
    if (problem instanceof Refusal && problem.status !== 401) return ["", problem.message];
    throw problem;
  }
};
let looks = 0;
const look = async () => {
  const mine = ++looks;
  try {
    const { experiments } = await (await ask("v1/experiments")).json();
    if (experiments.length && !chosen()) location.replace(`#${encodeURIComponent(experiments[0].name)}`);
    const name = chosen(), [text, why] = name ? await askOne(name) : ["", ""];
    if (name !== chosen() || mine !== looks) return; // another was chosen, or a later look will show more
    showList(experiments);
    find("empty").hidden = experiments.length > 0;
    find("commands").textContent = commands("first");
    find("missing").hidden = !why;
    find("missing").textContent = why;
    find("one").hidden = !text;
    if (text && text + innerWidth !== drawn) showOne(JSON.parse(text));
    drawn = text + innerWidth;
    find("state").className = "";
    find("state").textContent = `as of ${new Date().toLocaleTimeString()}`;
  } catch (problem) {
    find("state").className = "bad";
    find("state").textContent = problem.message;
    if (problem.status === 401) hideAll();
  }
};
const hideAll = () => {
  find("ask").hidden = false;
  for (const id of ["one", "missing", "empty"]) find(id).hidden = true;
  find("list").replaceChildren();
  drawn = "";
};
let timer = 0;
const keepLooking = async () => {
  clearTimeout(timer);
  if (!document.hidden) await look();
  clearTimeout(timer); // another look may have begun meanwhile
  timer = setTimeout(keepLooking, 1000 * SECONDS);
};

// Buttons. What was refused is told beside them; a key that may do more can be given.
const tell = (sentence, bad = false) => { find("done").textContent = sentence; find("done").className = bad ? "bad" : ""; };
const trying = async (work) => {
  try { await work(); } catch (problem) {
    tell(problem.message, true);
    if (problem instanceof Refusal && [401, 403].includes(problem.status)) find("ask").hidden = false;
  }
};
const act = (path, method, body, sentence) => trying(async () => {
  await ask(path, method, body);
  await keepLooking(); // what is told is what the page shows
  tell(sentence);
});
const isSure = (question, yes) => new Promise((resolve) => {
  find("question").textContent = question;
  find("yes").textContent = yes;
  find("sure").firstElementChild.onsubmit = (event) => resolve(event.submitter.value === "yes");
  find("sure").oncancel = () => resolve(false);
  find("sure").showModal();
});
find("end").addEventListener("click", async () => {
  const name = chosen();
  const question = `End “${name}” for good? It makes no more decisions. Rewards of those that were made still count, and its log stays.`;
  if (await isSure(question, "End it")) await act(`${addressOf(name)}/end`, "POST", null, `${name} has ended.`);
});
find("export").addEventListener("click", () => trying(async () => {
  const name = chosen();
  tell("Reading the log ...");
  const lines = await (await ask(`${addressOf(name)}/events`)).blob();
  const link = document.createElement("a");
  link.href = URL.createObjectURL(lines);
  link.download = `${name.replace(/[^\p{L}\p{N}._-]+/gu, "_")}.jsonl`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  tell(`${link.download} has ${lines.size.toLocaleString()} bytes.`);
}));
for (const button of find("widths").children) {
  button.addEventListener("click", () => { width = Number(button.value); if (seen) showOverTime(seen); });
}
find("change-key").addEventListener("click", () => { find("ask").hidden = !find("ask").hidden; });
find("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  useKey(find("key").value.trim());
  find("ask").hidden = true;
  tell("");
  keepLooking();
});
addEventListener("hashchange", () => { drawn = ""; tell(""); keepLooking(); });
addEventListener("resize", () => { clearTimeout(timer); timer = setTimeout(keepLooking, 200); });
document.addEventListener("visibilitychange", keepLooking);
prepareArms();
keepLooking();
