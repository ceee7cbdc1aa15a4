// A figure drawn from its numbers: lines with bands, points, or boxes.
const SVG = "http://www.w3.org/2000/svg";
const draw = (tag, attributes, ...children) => {
  const made = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) if (value !== "") made.setAttribute(key, value);
  made.append(...children);
  return made;
};
const ink = (colour) => (colour === "ink" ? "var(--ink)" : colour);
const pen = document.createElement("canvas").getContext("2d");
const widthOf = (text) => { pen.font = "12px system-ui, sans-serif"; return pen.measureText(text).width; };
const cut = (text, most) => {
  if (widthOf(text) <= most) return text;
  let kept = text.length - 1;
  while (kept > 3 && widthOf(text.slice(0, kept) + "…") > most) kept--;
  return text.slice(0, kept) + "…";
};
// The name, cut to the width; to where it differs from others that would read alike, as `short` in Python.
const shortened = (text, most, among) => {
  let alike = among.map((each) => each.name).filter((each) => each !== text && cut(each, most) === cut(text, most));
  if (!alike.length) return cut(text, most);
  const head = text.split("(")[0].slice(0, 6) + "…";
  const room = Math.max(3, Math.floor((most - widthOf(head)) / 8) - 4);
  let start = 0;
  while (alike.length) {
    while (alike.every((each) => each[start] === text[start])) start++;
    alike = alike.filter((each) => each.slice(start, start + room) === text.slice(start, start + room));
  }
  return cut(head + text.slice(Math.max(0, start - 3)), most);
};
const SHAPES = {
  s: [4, 45], D: [4, -90], d: [4, -90], "^": [3, -90], v: [3, 90], "<": [3, 180], ">": [3, 0],
  p: [5, -90], "*": [5, -90, 0.45], P: [4, 0, 0.35], X: [4, 45, 0.35],
};
const marker = (kind, x, y, r) => {
  if (!(kind in SHAPES)) return `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`;
  const [corners, turn, inner = 0] = SHAPES[kind];
  const count = inner ? 2 * corners : corners;
  const points = Array.from({ length: count }, (_, k) => {
    const angle = (turn + (360 * k) / count) * (Math.PI / 180);
    const away = (inner && k % 2 ? inner : 1) * r * 1.15;
    const slim = kind === "d" ? 0.6 : 1;
    return `${(x + slim * away * Math.cos(angle)).toFixed(1)} ${(y + away * Math.sin(angle)).toFixed(1)}`;
  });
  return `M${points.join("L")}z`;
};
// Heights near the wanted ones, in the same order and at least `gap` apart.
const spreadOut = (wanted, gap, low, high) => {
  const order = wanted.map((_, place) => place).sort((a, b) => wanted[a] - wanted[b]);
  const placed = [...wanted];
  let last = low - gap;
  for (const place of order) last = placed[place] = Math.max(placed[place], last + gap);
  last = high + gap;
  for (const place of order.reverse()) last = placed[place] = Math.min(placed[place], last - gap);
  return placed;
};

const makeChart = (figure, number) => {
  const data = JSON.parse(figure.dataset.chart), boxes = data.kind === "boxes";
  const things = boxes ? data.boxes : data.series;
  const state = { logX: data.x.log, logY: !boxes && data.y.log, zoom: null };
  const holder = figure.querySelector(".drawing");
  const told = document.createElement("span");
  figure.querySelector("figcaption").append(" ", told);
  const chart = { figure, data, state, holder, things, boxes, told };
  const section = figure.closest("section");

  chart.visible = () => {
    const off = [...section.querySelectorAll(".policies input")].filter((box) => !box.checked);
    const hidden = new Set(off.map((box) => box.value));
    return things.filter((each) => !hidden.has(each.policy));
  };
  const extent = (values, log) => {
    const kept = values.filter((v) => v !== null && (!log || v > 0));
    return kept.length ? [Math.min(...kept), Math.max(...kept)] : [1, 2];
  };
  const padded = ([low, high], log) => {
    if (log) { const by = 1.25 * (high / low) ** 0.08; return [low / by, high * by]; }
    const by = 0.12 * (high - low) || Math.abs(high) || 1;
    return [low - by, high + by];
  };
  const rangeX = (shown, log) => {
    if (boxes) {
      const values = shown.flatMap((each) => [each.least, each.largest, each.mean]);
      const [low, high] = extent(values, log && Math.min(...values) > 0);
      return log && low > 0 ? padded([low, high], true) : [0, 1.05 * high || 1];
    }
    const [low, high] = extent(shown.flatMap((each) => [...each.x, ...(each.ring ? [each.ring[0]] : [])]), log);
    if (data.kind === "points") return padded([low, high], log);
    return log ? [low === high ? low / 2 : low, high] : [0, high];
  };
  const rangeY = (shown, log) => {
    if (data.y.top && !log) return [0, data.y.top];
    const firm = shown.filter((each) => !each.soft);
    const values = (firm.length ? firm : shown).flatMap((each) => [...each.y, ...(each.ring ? [each.ring[1]] : [])]);
    let [low, high] = extent(values, log);
    if (data.kind === "points") return padded([low, high], log);
    const ends = firm.filter((each) => each.high).map((each) => each.high.at(-1)).sort((a, b) => a - b);
    if (ends.length) high = Math.max(high, ends[Math.floor(ends.length / 2)]);
    for (const each of shown) if (each.soft && each.y.at(-1) <= 1.5 * high) high = Math.max(high, each.y.at(-1));
    if (data.y.unit === "share" && !log) return [0, Math.min(1, 1.04 * high)];
    return log ? [Math.max(0.7 * low, 1e-4 * high), 1.25 * high] : [0, 1.04 * high || 1];
  };

  // A bound far above the curves would flatten them, so it is only noted below the figure.
  const offScale = (shown) => {
    if (boxes || state.zoom) return [];
    const [, top] = rangeY(shown, state.logY);
    return shown.filter((each) => each.soft && each.y.at(-1) > top);
  };
  chart.draw = () => {
    const all = chart.visible(), off = offScale(all);
    const shown = all.filter((each) => !off.includes(each));
    chart.told.textContent = off.map((each) => `${each.name} is off the scale: ${numberText(each.y.at(-1))} at the end. `).join("");
    const wide = Math.max(280, holder.clientWidth || 600);
    const labels = boxes ? [] : shown.map((each) => each.name);
    const beside = !boxes && wide >= 560;
    const room = beside ? Math.min(200, Math.max(0, ...labels.map(widthOf)) + 34) : 14;
    const nameRoom = boxes ? Math.min(0.36 * wide, Math.max(60, ...things.map((each) => widthOf(each.name) + 10))) : 0;
    const frame = { left: boxes ? nameRoom : 48, top: boxes ? 8 : 26, right: wide - room };
    const inner = boxes ? 26 * Math.max(1, shown.length) + 6 : Math.max(260, beside ? 15 * labels.length : 0);
    frame.bottom = frame.top + inner;
    const least = boxes ? Math.min(...shown.map((each) => each.least)) : 1;
    const kindX = !state.logX ? "linear" : boxes && !(least > 0) ? "asinh" : "log";
    const [lowX, highX] = state.zoom ? state.zoom.x : rangeX(shown, state.logX);
    const x = scaleOf(kindX, lowX, highX, frame.left, frame.right, data.x.near);
    let y = null;
    if (!boxes) {
      const [lowY, highY] = state.zoom ? state.zoom.y : rangeY(shown, state.logY);
      y = scaleOf(state.logY ? "log" : "linear", lowY, highY, frame.bottom, frame.top);
    }
    Object.assign(chart, { frame, x, y, shown });
    const svg = draw("svg", { xmlns: SVG, "font-family": "system-ui, sans-serif", "font-size": 12, role: "img", "aria-label": figure.querySelector("figcaption").textContent, tabindex: 0 });
    drawAxes(svg);
    const clip = `clip-${number}`;
    svg.append(draw("clipPath", { id: clip }, draw("rect", { x: frame.left, y: frame.top - 4, width: Math.max(1, frame.right - frame.left + 4), height: inner + 8 })));
    const body = draw("g", { "clip-path": `url(#${clip})` });
    svg.append(body);
    if (boxes) drawBoxes(svg, body);
    else things.forEach((each, rank) => drawSeries(body, each, rank, shown.includes(each)));
    let below = frame.bottom + 42;
    if (!boxes) below = beside && data.kind !== "points" ? drawEnds(svg, shown, below) : drawLegend(svg, shown, wide, below);
    if (data.kind === "points") drawNames(svg, shown);
    svg.append(draw("g", { class: "over" }));
    svg.setAttribute("viewBox", `0 0 ${wide} ${below}`);
    holder.replaceChildren(svg);
    chart.svg = svg;
    chart.ready(svg);
  };

  const drawAxes = (svg) => {
    const { frame, x, y } = chart;
    const text = (label, attributes) => draw("text", { fill: "var(--ink)", ...attributes }, label);
    for (const tick of ticksOf(x, Math.max(3, Math.floor((frame.right - frame.left) / 62)), data.x.near)) {
      const at = x.at(tick);
      svg.append(draw("line", { x1: at, x2: at, y1: frame.top, y2: frame.bottom, stroke: "var(--faint)" }));
      svg.append(text(tickText(tick, data.x.unit), { x: at, y: frame.bottom + 16, "text-anchor": "middle" }));
    }
    const scale = (label, log) => label + (log ? " (log scale)" : "");
    svg.append(text(scale(data.x.label, state.logX), { x: (frame.left + frame.right) / 2, y: frame.bottom + 34, "text-anchor": "middle" }));
    svg.append(draw("line", { x1: frame.left, x2: frame.right, y1: frame.bottom, y2: frame.bottom, stroke: "var(--ink)" }));
    if (boxes) return;
    for (const tick of ticksOf(y, 6)) {
      const at = y.at(tick);
      svg.append(draw("line", { x1: frame.left, x2: frame.right, y1: at, y2: at, stroke: "var(--faint)" }));
      svg.append(text(tickText(tick, data.y.unit), { x: frame.left - 6, y: at + 4, "text-anchor": "end" }));
    }
    svg.append(draw("line", { x1: frame.left, x2: frame.left, y1: frame.top, y2: frame.bottom, stroke: "var(--ink)" }));
    svg.append(text(scale(data.y.label, state.logY), { x: 2, y: 13 }));
  };

  const pixels = (each, values) => each.x.map((v, k) => {
    const value = values[k];
    if (value === null || (state.logX && !(v > 0))) return null;
    if (state.logY && !(value > 0)) return [chart.x.at(v), chart.frame.bottom + 4];
    return [chart.x.at(v), chart.y.at(value)];
  });
  const path = (points) => {
    let text = "", open = false;
    for (const point of points) {
      if (point) text += `${open ? "L" : "M"}${point[0].toFixed(1)} ${point[1].toFixed(1)}`;
      open = Boolean(point);
    }
    return text;
  };
  const drawSeries = (body, each, rank, on) => {
    const group = draw("g", { "data-policy": each.policy, "data-part": "line", class: on ? "" : "off" });
    const colour = ink(each.colour), points = pixels(each, each.y);
    if (each.low && on) {
      const round = [...pixels(each, each.high), ...pixels(each, each.low).reverse()].filter(Boolean);
      if (round.length) group.append(draw("path", { d: `${path(round)}z`, fill: colour, opacity: 0.1 }));
    }
    if (data.kind === "points") {
      if (each.ring) {
        const ring = [chart.x.at(each.ring[0]), chart.y.at(each.ring[1])];
        group.append(draw("path", { d: path([points[0], ring]), stroke: colour, "stroke-width": 0.8, fill: "none" }));
        group.append(draw("circle", { cx: ring[0], cy: ring[1], r: 4.5, stroke: colour, "stroke-width": 1.2, fill: "none" }));
      }
    } else {
      const dashes = each.dashes.map((d) => d * Math.max(1.2, each.width)).join(" ");
      group.append(draw("path", { d: path(points), fill: "none", stroke: colour, "stroke-width": each.width, "stroke-dasharray": dashes, opacity: each.width > 4 ? 0.5 : "" }));
    }
    const spots = new Set();
    if (each.dense || data.kind === "points") points.forEach((_, k) => spots.add(k));
    else if (each.marker) {
      const { left, right } = chart.frame;
      for (let k = 0; k < 8; k++) {
        const wanted = left + ((k + (rank + 0.5) / things.length) / 8) * (right - left);
        const found = points.findIndex((point) => point && point[0] >= wanted);
        if (found >= 0) spots.add(found);
      }
    }
    if (each.marker) {
      const text = [...spots].filter((k) => points[k]).map((k) => marker(each.marker, ...points[k], 3.6)).join("");
      group.append(draw("path", { d: text, fill: each.filled ? colour : "none", stroke: colour, "stroke-width": 1.2 }));
    }
    body.append(group);
  };
  const key = (each, x, y) => {
    const colour = ink(each.colour);
    const group = draw("g", {}, draw("line", { x1: x, x2: x + 24, y1: y, y2: y, stroke: colour, "stroke-width": Math.min(each.width, 2.4), "stroke-dasharray": each.dashes.map((d) => 1.4 * d).join(" ") }));
    if (each.marker) group.append(draw("path", { d: marker(each.marker, x + 12, y, 3.2), fill: each.filled ? colour : "var(--paper)", stroke: colour, "stroke-width": 1.1 }));
    return group;
  };
  const drawEnds = (svg, shown, below) => {
    const { frame, x, y } = chart;
    const ends = shown.map((each) => {
      const inside = each.x.map((v, k) => [v, each.y[k]]).filter(([v, w]) => w !== null && v <= x.high * 1.0001 && (!state.logY || w > 0));
      return inside.length ? Math.min(frame.bottom, Math.max(frame.top, y.at(inside.at(-1)[1]))) : frame.bottom;
    });
    const heights = spreadOut(ends, 14, frame.top + 2, frame.bottom);
    shown.forEach((each, place) => {
      const group = draw("g", { "data-policy": each.policy, "data-part": "label" });
      group.append(draw("path", { d: `M${frame.right + 1} ${ends[place]}L${frame.right + 9} ${heights[place]}`, stroke: ink(each.colour), fill: "none", "stroke-width": 0.8 }));
      const line = key(each, frame.right + 9, heights[place]);
      line.firstChild.setAttribute("x2", frame.right + 29);
      if (line.childNodes[1]) line.childNodes[1].setAttribute("d", marker(each.marker, frame.right + 19, heights[place], 3.2));
      group.append(line, draw("text", { x: frame.right + 33, y: heights[place] + 4, fill: "var(--ink)" }, shortened(each.name, 166, shown)));
      svg.append(group);
    });
    return below;
  };
  const drawLegend = (svg, shown, wide, top) => {
    let left = 4, y = top + 8;
    for (const each of shown) {
      const name = shortened(each.name, wide - 40, shown), needed = widthOf(name) + 48;
      if (left > 4 && left + needed > wide) { left = 4; y += 18; }
      svg.append(draw("g", { "data-policy": each.policy, "data-part": "label" }, key(each, left, y), draw("text", { x: left + 29, y: y + 4, fill: "var(--ink)" }, name)));
      left += needed;
    }
    return y + 14;
  };
  const drawNames = (svg, shown) => {
    const { frame, x, y } = chart;
    const taken = shown.map((each) => [x.at(each.x[0]) - 4, y.at(each.y[0]) + 4, 8]); // the markers
    for (const each of shown) {
      const [px, py] = [x.at(each.x[0]), y.at(each.y[0])], name = shortened(each.name, 120, shown), wide = widthOf(name);
      const spots = [[8, 4], [-8 - wide, 4], [-wide / 2, -9], [-wide / 2, 17], [8, -8], [8, 16], [-8 - wide, -8], [-8 - wide, 16]];
      const free = spots.map(([dx, dy]) => [px + dx, py + dy]).find(([a, b]) => a > 0 && a + wide < frame.right + 12 && taken.every(([c, d, w]) => a > c + w || c > a + wide || Math.abs(b - d) > 12));
      if (!free) continue; // the legend names it
      taken.push([...free, wide]);
      svg.append(draw("text", { x: free[0], y: free[1], fill: "var(--ink)", "data-policy": each.policy, "data-part": "label", "font-size": 11 }, name));
    }
  };
  const drawBoxes = (svg, body) => {
    const { frame, x, shown } = chart;
    const at = (v) => x.at(x.kind === "log" && !(v > 0) ? x.low : v);
    chart.rows = shown.map((each, rank) => {
      const middle = frame.top + 26 * rank + 16;
      const group = draw("g", { "data-policy": each.policy, "data-part": "box" });
      const line = (a, b, up = 0, thick = 1) => draw("line", { x1: at(a), x2: at(b), y1: middle - up, y2: middle + up, stroke: "var(--ink)", "stroke-width": thick });
      group.append(line(each.q10, each.q25), line(each.q75, each.q90), line(each.q10, each.q10, 5), line(each.q90, each.q90, 5));
      group.append(draw("rect", { x: at(each.q25), y: middle - 9, width: Math.max(1, at(each.q75) - at(each.q25)), height: 18, fill: each.colour, "fill-opacity": 0.75, stroke: "var(--ink)", "stroke-width": 0.8 }));
      group.append(line(each.q50, each.q50, 9, 2));
      for (const dot of each.dots) group.append(draw("circle", { cx: at(dot), cy: middle, r: 1.6, fill: each.colour }));
      group.append(draw("path", { d: marker("D", at(each.mean), middle, 3.6), fill: "#fff", stroke: "#222223" }));
      body.append(group);
      svg.append(draw("text", { x: frame.left - 6, y: middle + 4, "text-anchor": "end", fill: "var(--ink)", "data-policy": each.policy, "data-part": "label" }, shortened(each.name, frame.left - 8, shown)));
      return { each, middle };
    });
    for (const each of things) {
      if (!shown.includes(each)) body.append(draw("g", { "data-policy": each.policy, "data-part": "box", class: "off" }));
    }
  };
  return chart;
};
