"use strict";
(() => {
  for (const table of document.querySelectorAll("table.sortable")) {
    const body = table.tBodies[0], heads = [...[...table.tHead.rows].at(-1).cells];
    heads.forEach((head, column) => head.querySelector("button").addEventListener("click", () => {
      // Numbers begin with the largest, names with the first; what is absent comes last.
      const now = head.getAttribute("aria-sort"), down = now ? now !== "descending" : head.classList.contains("num");
      heads.forEach((h) => h.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const key = (row) => { const cell = row.cells[column]; return cell.dataset.v === undefined ? cell.textContent.toLowerCase() : cell.dataset.v === "" ? null : Number(cell.dataset.v); };
      const order = [...body.rows].map((row) => [key(row), row]);
      order.sort(([a], [b]) => (a === null) - (b === null) || (a < b ? -1 : a > b ? 1 : 0) * (down ? -1 : 1));
      body.append(...order.map(([, row]) => row));
    }));
  }
  for (const input of document.querySelectorAll("input.filter")) {
    const rows = [...document.getElementById(input.dataset.table).tBodies[0].rows];
    const status = input.closest(".controls").querySelector("[role=status]");
    const apply = () => {
      const wanted = input.value.trim().toLowerCase();
      let count = 0;
      for (const row of rows) { row.hidden = wanted !== "" && !row.textContent.toLowerCase().includes(wanted); count += row.hidden ? 0 : 1; }
      status.textContent = `${count} of ${rows.length}`;
    };
    input.addEventListener("input", apply);
    apply();
  }
  document.documentElement.dataset.ready = "yes";
})();
