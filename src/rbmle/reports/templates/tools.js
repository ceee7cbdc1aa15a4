// What a reader can do with a figure: see values, zoom, switch scales, download it.
const offer = (name, kind, text) => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: kind }));
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
};
const csvCell = (value) => {
  const text = value === null || value === undefined ? "" : String(value);
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
const csvText = (rows) => rows.map((row) => row.map(csvCell).join(",")).join("\n") + "\n";
const csvOf = ({ data, things, boxes }) => {
  const rows = [[boxes || data.kind === "points" ? "policy" : "line", ...data.columns]];
  for (const each of things) {
    if (boxes) rows.push([each.name, ...data.columns.map((column) => each[column])]);
    else each.x.forEach((v, k) => rows.push([each.name, v, each.y[k], ...(each.low ? [each.low[k], each.high[k]] : [])]));
  }
  return csvText(rows.map((row) => [...row, ...Array(rows[0].length - row.length).fill("")]));
};
// The drawing in the colours of a white page, whatever colours the reader has.
const svgOf = (svg) => {
  const copy = svg.cloneNode(true);
  for (const each of copy.querySelectorAll(".off, .over")) each.remove();
  const [, , wide, high] = copy.getAttribute("viewBox").split(" ");
  copy.setAttribute("xmlns", SVG);
  copy.setAttribute("width", wide);
  copy.setAttribute("height", high);
  copy.style.cssText = "";
  copy.prepend(draw("rect", { width: "100%", height: "100%", fill: "#ffffff" }));
  const text = new XMLSerializer().serializeToString(copy);
  return text.replaceAll("var(--ink)", "#222223").replaceAll("var(--faint)", "#d9d9d8").replaceAll("var(--paper)", "#ffffff");
};
const make = (tag, attributes, ...children) => {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
};
const button = (text, title, act) => {
  const made = make("button", { type: "button", title, "aria-label": title }, text);
  made.addEventListener("click", act);
  return made;
};

const equip = (chart) => {
  const { figure, data, state, holder } = chart;
  const tip = make("div", { class: "tip", role: "status" });
  tip.hidden = true;
  holder.after(tip);
  const zoomBy = (factor) => {
    const [a, b] = [0.5 - 0.5 / factor, 0.5 + 0.5 / factor];
    state.zoom = { x: chart.x.part(a, b), y: chart.y ? chart.y.part(0, 1) : null };
    chart.draw();
  };
  const reset = () => { state.zoom = null; chart.draw(); };
  const tools = make("div", { class: "tools" });
  const switchOf = (name, word, axis) => {
    const box = make("input", { type: "checkbox", value: word });
    box.checked = state[name];
    box.addEventListener("change", () => { state[name] = box.checked; state.zoom = null; chart.draw(); });
    tools.append(make("label", { title: `${axis.label}: logarithmic or linear` }, box, word));
  };
  if (data.x.both) switchOf("logX", "log x", data.x);
  if (data.y && data.y.both) switchOf("logY", "log y", data.y);
  tools.append(
    button("+", "Zoom in", () => zoomBy(2)),
    button("−", "Zoom out", () => zoomBy(0.5)),
    button("Reset", "Show all", reset),
    button("SVG", "Download this figure as SVG", () => offer(`${figure.dataset.file}.svg`, "image/svg+xml", svgOf(chart.svg))),
    button("CSV", "Download its numbers as CSV", () => offer(`${figure.dataset.file}.csv`, "text/csv", csvOf(chart))),
  );
  figure.prepend(tools);

  const say = (head, rows, px, py) => {
    tip.replaceChildren(make("strong", {}, head));
    for (const [colour, name, value] of rows) {
      const swatch = make("i", {});
      swatch.style.background = ink(colour || "transparent");
      tip.append(make("span", {}, swatch, name), make("b", {}, value));
    }
    tip.hidden = false;
    const left = px > holder.clientWidth / 2 ? px - tip.offsetWidth - 14 : px + 14;
    tip.style.left = `${Math.max(0, Math.min(left, holder.clientWidth - tip.offsetWidth))}px`;
    tip.style.top = `${holder.offsetTop + Math.max(0, py - tip.offsetHeight / 2)}px`;
  };
  const quiet = () => {
    tip.hidden = true;
    if (chart.svg) chart.svg.querySelector(".over").replaceChildren();
  };
  const pointAt = (px, py) => {
    const { frame, x, y, shown } = chart, over = chart.svg.querySelector(".over");
    over.replaceChildren();
    if (chart.boxes) {
      const row = chart.rows.find(({ middle }) => Math.abs(py - middle) <= 13);
      if (!row) return quiet();
      const names = ["mean", "least", "q10", "q25", "q50", "q75", "q90", "largest"];
      return say(row.each.name, names.map((name) => ["", name, numberText(row.each[name])]), px, py);
    }
    if (data.kind === "points") {
      const away = (each) => Math.hypot(x.at(each.x[0]) - px, y.at(each.y[0]) - py);
      const near = [...shown].sort((a, b) => away(a) - away(b))[0];
      if (!near || away(near) > 60) return quiet();
      const rows = [["", data.x.label, valueText(near.x[0], data.x.unit)], ["", data.y.label, numberText(near.y[0])]];
      if (near.ring) rows.push(["", "published", `${valueText(near.ring[0], data.x.unit)}, ${numberText(near.ring[1])}`]);
      return say(near.name, rows, px, py);
    }
    const found = [];
    for (const each of shown) {
      let best = -1;
      each.x.forEach((v, k) => { if (each.y[k] !== null && (best < 0 || Math.abs(x.at(v) - px) < Math.abs(x.at(each.x[best]) - px))) best = k; });
      if (best >= 0) found.push({ each, best, at: x.at(each.x[best]) });
    }
    if (!found.length) return quiet();
    const first = found.reduce((a, b) => (Math.abs(a.at - px) <= Math.abs(b.at - px) ? a : b));
    chart.pointed = first.each.x[first.best];
    over.append(draw("line", { x1: first.at, x2: first.at, y1: frame.top, y2: frame.bottom, stroke: "var(--ink)", "stroke-width": 0.7 }));
    let rows = found.filter((each) => Math.abs(each.at - first.at) < 2).map(({ each, best, at }) => ({ each, best, at, value: each.y[best], height: state.logY && !(each.y[best] > 0) ? frame.bottom : y.at(each.y[best]) }));
    if (rows.length > 12) rows = rows.sort((a, b) => Math.abs(a.height - py) - Math.abs(b.height - py)).slice(0, 12);
    rows.sort((a, b) => b.value - a.value);
    for (const row of rows) {
      if (row.height >= frame.top - 1) over.append(draw("circle", { cx: row.at, cy: row.height, r: 3.5, fill: ink(row.each.colour), stroke: "var(--paper)" }));
    }
    const unit = data.y.unit;
    const text = ({ each, best }) => valueText(each.y[best], unit) + (each.low ? ` (${valueText(each.low[best], unit)}–${valueText(each.high[best], unit)})` : "");
    say(`${data.x.label} ${roundText(chart.pointed)}`, rows.map((row) => [row.each.colour, row.each.name, text(row)]), first.at, py);
  };

  let begin = null;
  chart.ready = (svg) => {
    quiet();
    const place = (event) => {
      const box = svg.getBoundingClientRect(), ratio = svg.viewBox.baseVal.width / box.width;
      return [(event.clientX - box.left) * ratio, (event.clientY - box.top) * ratio];
    };
    const inside = ([px, py]) => px >= chart.frame.left - 6 && px <= chart.frame.right + 6 && py >= chart.frame.top - 6 && py <= chart.frame.bottom + 6;
    const held = ([px, py]) => [Math.min(chart.frame.right, Math.max(chart.frame.left, px)), Math.min(chart.frame.bottom, Math.max(chart.frame.top, py))];
    svg.addEventListener("pointerdown", (event) => {
      if (event.button !== 0 || !inside(place(event))) return;
      begin = held(place(event));
      if (event.pointerType === "mouse") { svg.setPointerCapture(event.pointerId); event.preventDefault(); svg.focus({ preventScroll: true }); }
    });
    svg.addEventListener("pointermove", (event) => {
      const here = place(event);
      if (!begin) return inside(here) ? pointAt(...here) : quiet();
      const [a, b] = [begin, held(here)], tall = Math.abs(a[1] - b[1]) > 10 && !chart.boxes;
      tip.hidden = true;
      svg.querySelector(".over").replaceChildren(draw("rect", {
        x: Math.min(a[0], b[0]), width: Math.abs(a[0] - b[0]), y: tall ? Math.min(a[1], b[1]) : chart.frame.top,
        height: tall ? Math.abs(a[1] - b[1]) : chart.frame.bottom - chart.frame.top, fill: "var(--link)", opacity: 0.15,
      }));
    });
    svg.addEventListener("pointerup", (event) => {
      if (!begin) return;
      const [a, b] = [begin, held(place(event))];
      begin = null;
      if (Math.abs(a[0] - b[0]) < 8) return pointAt(...place(event));
      const tall = Math.abs(a[1] - b[1]) > 10 && !chart.boxes;
      state.zoom = {
        x: [chart.x.value(Math.min(a[0], b[0])), chart.x.value(Math.max(a[0], b[0]))],
        y: chart.y ? (tall ? [chart.y.value(Math.max(a[1], b[1])), chart.y.value(Math.min(a[1], b[1]))] : [chart.y.low, chart.y.high]) : null,
      };
      chart.draw();
    });
    svg.addEventListener("pointercancel", () => { begin = null; quiet(); });
    svg.addEventListener("pointerleave", () => { if (!begin) quiet(); });
    svg.addEventListener("dblclick", reset);
    svg.addEventListener("keydown", (event) => {
      if (event.key === "Escape") return quiet();
      if (chart.boxes || data.kind !== "lines" || !["ArrowLeft", "ArrowRight"].includes(event.key)) return undefined;
      event.preventDefault();
      const longest = chart.shown.reduce((a, b) => (a.x.length >= b.x.length ? a : b)).x;
      const from = chart.pointed === undefined ? longest.length - 1 : longest.indexOf(chart.pointed);
      const to = Math.max(0, Math.min(longest.length - 1, from + (event.key === "ArrowLeft" ? -1 : 1)));
      return pointAt(chart.x.at(longest[to]), (chart.frame.top + chart.frame.bottom) / 2);
    });
    svg.addEventListener("blur", quiet);
  };
  if (data.note) figure.querySelector("figcaption").append(` ${data.note}.`);
  chart.draw();
  new ResizeObserver(() => {
    const drawn = Number(chart.svg.getAttribute("viewBox").split(" ")[2]);
    if (Math.abs(Math.max(280, holder.clientWidth) - drawn) > 1) chart.draw();
  }).observe(holder);
};

const charts = [];
document.querySelectorAll("figure").forEach((figure, number) => {
  if (figure.dataset.chart) {
    const chart = makeChart(figure, number);
    charts.push(chart);
    equip(chart);
    return;
  }
  const svg = figure.querySelector("svg");
  if (svg) figure.prepend(make("div", { class: "tools" }, button("SVG", "Download this figure as SVG", () => offer(`${figure.dataset.file}.svg`, "image/svg+xml", svgOf(svg)))));
});
for (const made of document.querySelectorAll("button.csv")) {
  made.addEventListener("click", () => {
    const table = document.getElementById(made.dataset.table);
    const value = (cell) => (cell.dataset.value && cell.dataset.value !== "nan" ? cell.dataset.value : cell.textContent.trim());
    offer(made.dataset.file, "text/csv", csvText([...table.rows].map((row) => [...row.cells].map(value))));
  });
}
