// Numbers as text, scales and ticks.
const power = (text) => text.replace(/e\+?/, "e");
const grouped = (x, digits) => x.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
const significant = (x, digits) => {
  const size = Math.abs(x);
  if (size >= 1e-4 && size < 10 ** digits) return String(Number(x.toPrecision(digits)));
  return power(Number(x.toPrecision(digits)).toExponential());
};
// The same as number_text in Python.
const numberText = (x) => {
  if (x === null || Number.isNaN(x)) return "-";
  const size = Math.abs(x);
  if (size === 0) return "0";
  if (size < 0.9995) return significant(x, 3);
  if (size < 99999.95) return grouped(x, 1);
  return size < 999999999.5 ? grouped(x, 0) : significant(x, 4);
};
const secondsText = (x) => {
  const units = [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]];
  const [size, unit] = units.find((each) => x >= 0.999 * each[0]) || units[3];
  return `${Number((x / size).toPrecision(4))} ${unit}`;
};
const tickText = (x, unit) => {
  if (unit === "s") return secondsText(x);
  if (unit === "share") return `${Number((100 * x).toPrecision(4))} %`;
  for (const [size, name] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
    if (Math.abs(x) >= size) return Number((x / size).toPrecision(4)) + name;
  }
  return x === 0 ? "0" : significant(x, 4);
};
const valueText = (x, unit) => (unit ? (x === null ? "-" : tickText(x, unit)) : numberText(x));
const roundText = (x) => (Number.isInteger(x) ? grouped(x, 0) : numberText(x));

// kind: linear, log, or asinh (linear below `near`, where 0 has to be shown). Pixels begin..end.
const scaleOf = (kind, low, high, begin, end, near) => {
  const bend = kind === "log" ? Math.log10 : kind === "asinh" ? (v) => Math.asinh(v / near) : (v) => v;
  const back = kind === "log" ? (v) => 10 ** v : kind === "asinh" ? (v) => near * Math.sinh(v) : (v) => v;
  const a = bend(low), b = bend(high), span = b - a || 1;
  return {
    kind, low, high,
    at: (v) => begin + ((bend(v) - a) / span) * (end - begin),
    value: (pixel) => back(a + ((pixel - begin) / (end - begin)) * span),
    // The part of the scale between two shares of its length, which may lie outside 0..1.
    part: (from, to) => [back(a + from * span), back(a + to * span)],
  };
};
const linearTicks = (low, high, most) => {
  const raw = (high - low) / most || 1, size = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((f) => f * size).find((each) => each >= raw * 0.999);
  const ticks = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high * (1 + 1e-9) + 1e-12; k++) ticks.push(k * step);
  return ticks;
};
const logTicks = (low, high, most) => {
  let seen = [];
  for (const factors of [[1], [1, 3], [1, 2, 5]]) {
    seen = [];
    for (let p = Math.floor(Math.log10(low)) - 1; p <= Math.ceil(Math.log10(high)); p++) {
      for (const f of factors) if (f * 10 ** p >= low * 0.999 && f * 10 ** p <= high * 1.001) seen.push(Number(`${f}e${p}`));
    }
    if (seen.length >= 3) break;
  }
  if (seen.length < 2) return linearTicks(low, high, most);
  return seen.filter((_, place) => place % Math.ceil(seen.length / most) === 0);
};
const ticksOf = (scale, most, near) => {
  if (scale.kind === "linear") return linearTicks(scale.low, scale.high, most);
  if (scale.kind === "log") return logTicks(scale.low, scale.high, most);
  return [0, ...logTicks(near, scale.high, most).filter((each) => each > near)].filter((v) => v >= scale.low);
};
