// What the page asks of the service: with the key, if there is one, and with refusals as sentences.
let key = sessionStorage.getItem("rbmle-key") || "";

export const useKey = (given) => {
  key = given;
  sessionStorage.setItem("rbmle-key", key);
};

// The service answered, and refused: its status and its sentence.
export class Refusal extends Error {
  constructor(status, sentence) { super(sentence); this.status = status; }
}
// The service did not answer.
export class Away extends Error {
  constructor() { super("The service cannot be reached; trying again."); }
}

export const ask = async (path, method = "GET", body = null) => {
  const headers = key ? { Authorization: `Bearer ${key}` } : {};
  if (body !== null) headers["Content-Type"] = "application/json";
  const sent = body === null ? undefined : JSON.stringify(body);
  let answer;
  try { answer = await fetch(path, { method, headers, body: sent, cache: "no-store" }); } catch { throw new Away(); }
  if (answer.ok) return answer;
  const text = await answer.text().catch(() => "");
  let told = text;
  try { told = JSON.parse(text).error; } catch { /* not the service's own words: a proxy's */ }
  throw new Refusal(answer.status, told || `The service answered ${answer.status}.`);
};

export const addressOf = (experiment) => `v1/experiments/${encodeURIComponent(experiment)}`;

// The experiment that the address names; a % that means nothing is taken as it stands.
export const chosen = () => {
  const named = location.hash.slice(1);
  try { return decodeURIComponent(named); } catch { return named; }
};
