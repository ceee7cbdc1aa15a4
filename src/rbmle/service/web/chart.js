// The share of traffic of each arm over time, as areas on top of one another.
"use strict";
const SVG = "http://www.w3.org/2000/svg";
const draw = (tag, attributes, ...children) => {
  const made = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
};
// Colours that differ in lightness too: Okabe and Ito's, then the same again, paler.
const COLOURS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#b8a800", "#7f7f86"];
const colourOf = (place) => COLOURS[place % COLOURS.length];
const paleOf = (place) => 1 - 0.35 * (Math.floor(place / COLOURS.length) % 3) / 2;

const drawTraffic = (holder, told, arms, traffic) => {
  holder.replaceChildren();
  if (!traffic.length) return;
  const width = Math.max(320, holder.clientWidth), height = width < 600 ? 200 : 260;
  const left = 44, right = 8, top = 8, bottom = 26;
  const x = (k) => left + ((width - left - right) * k) / traffic.length;
  const y = (share) => height - bottom - (height - top - bottom) * share;
  const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Share of traffic over time" });
  const below = traffic.map(() => 0);
  arms.forEach((arm, place) => {
    const above = below.map((share, k) => Math.min(1, share + (traffic[k].shares[place] || 0)));
    let path = `M${x(0)} ${y(below[0])}`;
    above.forEach((share, k) => { path += `L${x(k).toFixed(1)} ${y(share).toFixed(1)}L${x(k + 1).toFixed(1)} ${y(share).toFixed(1)}`; });
    for (let k = below.length - 1; k >= 0; k--) path += `L${x(k + 1).toFixed(1)} ${y(below[k]).toFixed(1)}L${x(k).toFixed(1)} ${y(below[k]).toFixed(1)}`;
    const title = draw("title", {}, arm.name);
    svg.append(draw("path", { d: `${path}z`, fill: colourOf(place), "fill-opacity": paleOf(place) }, title));
    above.forEach((share, k) => { below[k] = share; });
  });
  for (const share of [0, 0.25, 0.5, 0.75, 1]) {
    svg.append(draw("text", { x: left - 6, y: y(share) + 4, "text-anchor": "end", "font-size": 12, fill: "var(--soft)" }, `${100 * share}%`));
    svg.append(draw("line", { x1: left, x2: width - right, y1: y(share), y2: y(share), stroke: "var(--paper)", "stroke-opacity": 0.35 }));
  }
  const when = (at) => new Date(1000 * at).toLocaleTimeString();
  svg.append(draw("text", { x: left, y: height - 8, "font-size": 12, fill: "var(--soft)" }, when(traffic[0].at)));
  svg.append(draw("text", { x: width - right, y: height - 8, "text-anchor": "end", "font-size": 12, fill: "var(--soft)" }, when(traffic[traffic.length - 1].at)));
  holder.append(svg);
  told.textContent = "";
};

// The interval of an arm's mean, on a scale that all arms share.
const drawInterval = (arm, low, high, place) => {
  const at = (value) => (high > low ? 5 + (150 * (value - low)) / (high - low) : 80);
  const svg = draw("svg", { viewBox: "0 0 160 16", preserveAspectRatio: "none" });
  const [from, to] = arm.interval || [arm.mean, arm.mean];
  svg.append(draw("line", { x1: at(from), x2: at(to), y1: 8, y2: 8, stroke: colourOf(place), "stroke-width": 3 }));
  svg.append(draw("circle", { cx: at(arm.mean), cy: 8, r: 4, fill: colourOf(place) }));
  return svg;
};
