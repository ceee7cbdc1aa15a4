// The charts: shares of traffic as areas, buckets over time as bars and lines, an arm's interval.
const SVG = "http://www.w3.org/2000/svg";
const draw = (tag, attributes, ...children) => {
  const made = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
};
// Colours that differ in lightness too: Okabe and Ito's, then the same again, paler.
const COLOURS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#b8a800", "#7f7f86"];
export const colourOf = (place) => COLOURS[place % COLOURS.length];
export const paleOf = (place) => [1, 0.6, 0.35][Math.floor(place / COLOURS.length) % 3];
export const shown = (value, digits = 4) => (value === null || value === undefined ? ""
  : value.toLocaleString(undefined, Number.isSafeInteger(value) ? {} : { maximumSignificantDigits: digits }));
const short = (value) => value.toLocaleString(undefined, { notation: "compact", maximumSignificantDigits: 3 });

// Time. Days are the service's, in UTC; all else is in the zone of whoever looks.
const DAY = 86400;
const STEPS = [1, 5, 15, 30, 60, 300, 900, 1800, 3600, 10800, 21600, 43200, DAY, 2 * DAY, 7 * DAY, 14 * DAY, 28 * DAY, 91 * DAY, 364 * DAY];
const zone = (at, utc) => (utc ? 0 : -60 * new Date(1000 * at).getTimezoneOffset());
const timeText = (at, step, utc) => new Date(1000 * at).toLocaleTimeString(undefined,
  { hour: "2-digit", minute: "2-digit", ...(step < 60 ? { second: "2-digit" } : {}), ...(utc ? { timeZone: "UTC" } : {}) });
const dateText = (at, utc, year = false) => new Date(1000 * at).toLocaleDateString(undefined,
  { day: "numeric", month: "short", ...(year ? { year: "numeric" } : {}), ...(utc ? { timeZone: "UTC" } : {}) });
export const momentText = (at, step, utc) => (step >= DAY ? dateText(at, utc, true) : `${dateText(at, utc)} ${timeText(at, step, utc)}`);

// Round times between two, at most so many: whole minutes, hours, days of the clock on the wall.
const timeTicks = (low, high, most, utc) => {
  const step = STEPS.find((each) => (high - low) / each <= most) || STEPS.at(-1);
  const ticks = [], first = Math.ceil((low + zone(low, utc)) / step) * step;
  for (let wall = first; ; wall += step) {
    const at = wall - zone(wall - zone(wall, utc), utc);
    if (at > high) return { ticks, step };
    ticks.push(at);
  }
};
const numberTicks = (low, high, most) => {
  const rough = (high - low) / most, size = 10 ** Math.floor(Math.log10(rough));
  const step = size * [1, 2, 5, 10].find((each) => size * each >= rough);
  const ticks = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) ticks.push(k * step || 0); // no -0
  return ticks;
};

const makeFrame = (holder, height, label) => {
  const width = Math.max(240, holder.clientWidth), left = 44, right = 10, top = 8, bottom = 38;
  const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
  holder.replaceChildren(svg);
  return { svg, width, height, left, right: width - right, top, bottom: height - bottom };
};
// Below the axis: the time, unless it would meet the one before, and under it the date where that is another than before.
const drawTimes = (frame, places, times, step, utc) => {
  let date = "", end = -Infinity;
  places.forEach((x, k) => {
    const [line, below] = step >= DAY ? [dateText(times[k], utc), String(new Date(1000 * times[k]).getUTCFullYear())]
      : [timeText(times[k], step, utc), dateText(times[k], utc)];
    const anchor = x > frame.right - 24 ? "end" : x < frame.left + 24 ? "start" : "middle";
    frame.svg.append(draw("line", { x1: x, x2: x, y1: frame.bottom, y2: frame.bottom + 4, class: "tick" }));
    const time = draw("text", { x, y: frame.bottom + 15, "text-anchor": anchor }, line);
    frame.svg.append(time);
    const { left, width } = time.getBoundingClientRect();
    if (left < end) { time.remove(); return; }
    if (below !== date) frame.svg.append(draw("text", { x, y: frame.bottom + 30, "text-anchor": anchor }, below));
    date = below;
    end = left + 1.1 * width;
  });
};

// arms: those of the experiment. traffic: parts of equally many decisions, oldest first.
export const drawTraffic = (holder, arms, traffic) => {
  const frame = makeFrame(holder, holder.clientWidth < 600 ? 210 : 270, "Share of traffic over time");
  const { svg, left, right, top, bottom } = frame;
  const x = (k) => left + ((right - left) * k) / traffic.length;
  const y = (share) => bottom - (bottom - top) * share;
  const spot = (k, share) => `L${x(k).toFixed(1)} ${y(share).toFixed(1)}`;
  const below = traffic.map(() => 0);
  arms.forEach((arm, place) => {
    const above = below.map((share, k) => Math.min(1, share + (traffic[k].shares[place] || 0)));
    let path = `M${x(0)} ${y(below[0])}`;
    above.forEach((share, k) => { path += spot(k, share) + spot(k + 1, share); });
    for (let k = below.length - 1; k >= 0; k--) path += spot(k + 1, below[k]) + spot(k, below[k]);
    const area = { d: `${path}z`, fill: colourOf(place), "fill-opacity": paleOf(place) };
    svg.append(draw("path", area, draw("title", {}, arm.name)));
    above.forEach((share, k) => { below[k] = share; });
  });
  for (const share of [0, 0.25, 0.5, 0.75, 1]) {
    svg.append(draw("text", { x: left - 6, y: y(share) + 4, "text-anchor": "end" }, `${100 * share}%`));
    svg.append(draw("line", { x1: left, x2: right, y1: y(share), y2: y(share), class: "over" }));
  }
  const every = Math.max(1, Math.ceil(traffic.length / Math.max(2, Math.floor((right - left) / 90))));
  const labelled = traffic.map((_, k) => k).filter((k) => k % every === 0);
  const span = traffic.at(-1).at - traffic[0].at;
  drawTimes(frame, labelled.map(x), labelled.map((k) => traffic[k].at), span < 600 ? 1 : span < 100 * DAY ? 60 : DAY, false);
};

// buckets: {seconds, at: [...]}. bars, line: a number for each bucket, null where there is none.
// from: of a line that adds up, where it began. about: the words for each bucket.
export const drawBuckets = (holder, buckets, low, high, { label, bars = [], line, from = null, about }) => {
  const frame = makeFrame(holder, 190, label), { svg, left, right, top, bottom } = frame;
  const { seconds, at } = buckets, utc = seconds >= DAY, sums = from !== null;
  const values = [...bars, ...line, from].filter((each) => each !== null);
  let floor = Math.min(...values), ceiling = Math.max(...values);
  if (bars.length || sums || floor < 0.5 * ceiling) { floor = Math.min(0, floor); ceiling = Math.max(0, ceiling); }
  const room = 0.06 * (ceiling - floor) || Math.abs(ceiling) / 10 || 1;
  ceiling += room;
  if (floor) floor -= room;
  const x = (time) => left + ((right - left) * (time - low)) / (high - low);
  const y = (value) => bottom - ((bottom - top) * (value - floor)) / (ceiling - floor);
  for (const tick of numberTicks(floor, ceiling, 4)) {
    svg.append(draw("text", { x: left - 6, y: y(tick) + 4, "text-anchor": "end" }, short(tick)));
    svg.append(draw("line", { x1: left, x2: right, y1: y(tick), y2: y(tick), class: "grid" }));
  }
  const { ticks, step } = timeTicks(low, high, Math.max(2, Math.floor((right - left) / 70)), utc);
  drawTimes(frame, ticks.map(x), ticks, step, utc);
  const wide = Math.max(1, x(low + seconds) - left - 1);
  bars.forEach((value, k) => svg.append(draw("rect", { x: x(at[k]), y: y(value), width: wide, height: Math.max(0, y(0) - y(value)), class: "bar" })));
  let path = sums ? `M${x(at[0]).toFixed(1)} ${y(from).toFixed(1)}` : "", before = null;
  at.forEach((time, k) => {
    if (line[k] === null) return;
    const height = y(line[k]).toFixed(1), middle = x(time + seconds / 2).toFixed(1);
    if (sums) path += `H${x(time).toFixed(1)}L${x(time + seconds).toFixed(1)} ${height}`;
    else path += before === time - seconds ? `L${middle} ${height}` : `M${middle} ${height}`;
    const alone = !sums && before !== time - seconds && (at[k + 1] !== time + seconds || line[k + 1] === null);
    if (alone) svg.append(draw("circle", { cx: middle, cy: height, r: 2.5, class: "dot" }));
    before = time;
  });
  svg.append(draw("path", { d: path, class: "line" }));
  at.forEach((time, k) => svg.append(draw("rect", { x: x(time), y: top, width: wide, height: bottom - top, class: "hover" }, draw("title", {}, about(k)))));
};

// The interval of an arm's mean, on a scale that all arms share.
export const drawInterval = (arm, low, high, colour) => {
  const at = (value) => (high > low ? 5 + (150 * (value - low)) / (high - low) : 80);
  const svg = draw("svg", { viewBox: "0 0 160 16", preserveAspectRatio: "none", "aria-hidden": "true" });
  const [from, to] = arm.interval || [arm.mean, arm.mean];
  svg.append(draw("line", { x1: at(from), x2: at(to), y1: 8, y2: 8, stroke: colour, "stroke-width": 3 }));
  svg.append(draw("circle", { cx: at(arm.mean), cy: 8, r: 4, fill: colour }));
  return svg;
};
