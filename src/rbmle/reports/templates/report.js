// Tables sort by a click on a header; curves are shown and hidden by policy; notes show on a tap.
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  const body = table.tBodies[0];
  const keyOf = (row, column) => {
    const cell = row.cells[column];
    return "value" in cell.dataset ? Number(cell.dataset.value.replace("inf", "Infinity")) : cell.textContent.trim();
  };
  const compare = (a, b) => {
    if (typeof a === "number" && typeof b === "number") {
      return Number.isNaN(a) || Number.isNaN(b) ? Number.isNaN(a) - Number.isNaN(b) : a - b;
    }
    if (typeof a === "number") return -1;
    if (typeof b === "number") return 1;
    return a.localeCompare(b, undefined, { numeric: true });
  };
  heads.forEach((head, column) => {
    head.querySelector("button").addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") !== "ascending";
      for (const each of heads) each.setAttribute("aria-sort", "none");
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const sign = up ? 1 : -1;
      const rows = [...body.rows];
      rows.sort((a, b) => sign * compare(keyOf(a, column), keyOf(b, column)));
      body.append(...rows);
    });
  });
  let note = table.closest(".wide");
  while (!note.classList.contains("note")) note = note.nextElementSibling;
  body.addEventListener("click", (event) => {
    const cell = event.target.closest("td[title]");
    if (cell) note.textContent = cell.closest("tr").cells[0].textContent.trim() + ": " + cell.title;
  });
}
for (const choice of document.querySelectorAll(".policies")) {
  const section = choice.closest("section");
  const boxes = [...choice.querySelectorAll("input")];
  const update = () => {
    const hidden = new Set(boxes.filter((box) => !box.checked).map((box) => box.value));
    for (const part of section.querySelectorAll("[data-policy]")) {
      part.classList.toggle("off", hidden.has(part.dataset.policy));
    }
    for (const chart of charts) if (section.contains(chart.figure)) chart.draw();
  };
  const lines = charts.filter((chart) => section.contains(chart.figure) && !chart.boxes).flatMap((chart) => chart.things);
  for (const box of boxes) {
    const line = lines.find((each) => each.policy === box.value && each.marker);
    if (line) box.parentElement.querySelector(".key").append(draw("path", { d: marker(line.marker, 14, 4, 3), fill: line.filled ? line.colour : "var(--paper)", stroke: line.colour }));
  }
  choice.addEventListener("change", update);
  choice.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    for (const box of boxes) box.checked = button.value === "all";
    update();
  });
  update(); // a browser may remember the boxes from before a reload
}
// Unfold everything for printing, because paper cannot be clicked.
addEventListener("beforeprint", () => { for (const each of document.querySelectorAll("details")) each.open = true; });
