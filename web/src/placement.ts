// Placement: the nodes of each job in each group, or of one job on each router.

import type { App } from "./app";
import { CellGrid } from "./cells";
import { jobColour } from "./colour";
import type { Table } from "./data";
import { fill, h, select } from "./dom";
import { count } from "./format";
import { greatest } from "./sums";

export class Placement {
  readonly element: HTMLElement;
  private readonly grid = new CellGrid();
  private readonly title = h("h3");
  private readonly choice = h("span");

  constructor(private readonly app: App) {
    this.element = h("div", {}, h("div", { class: "row" }, this.title, this.choice), this.grid.element);
  }

  draw(): void {
    const { app } = this;
    const table = app.ready("placement");
    this.element.hidden = !table?.rows || !app.groups;
    if (!table?.rows || !app.groups) return;
    fill(this.choice, app.state.map, () => [
      select("By", [["", "group"], ["routers", "router"]], app.state.map, (map) => app.store.set({ map })),
    ]);
    if (app.state.map === "routers") this.routers(table);
    else this.groups(table);
  }

  private groups(table: Table): void {
    const { app } = this;
    const jobs = app.facts()!.jobs.length;
    const { groups } = app;
    const values = new Float64Array(jobs * groups);
    const [job, group] = [table.num("job"), table.num("group")];
    for (let row = 0; row < table.rows; row++) values[job[row]! * groups + group[row]!]! += 1;
    this.title.textContent = "Placement: nodes of each job in each group";
    this.grid.draw({
      label: "Nodes of each job in each group",
      rows: jobs,
      columns: groups,
      values,
      most: greatest(values)[1],
      rowLabel: (row) => app.job(row),
      columnLabel: String,
      rowTitle: "",
      columnTitle: "group",
      colours: jobColour,
      shown: (value) => `${count(value)} nodes`,
      stretch: true,
      cell: 22,
      height: 300,
      markedColumn: app.state.group,
      lines: (row, column) => [`${app.job(row)} in group ${column}`, `${count(values[row * groups + column]!)} nodes`, "Click: open the group"],
      pick: (_row, column) => app.store.set({ group: column, router: null, link: null, packet: null }),
    });
  }

  /** The nodes of the jobs chosen on each router: a row per group. */
  private routers(table: Table): void {
    const { app } = this;
    const { groups } = app;
    const wide = app.facts()!.topology.a || 1;
    const mask = app.mask();
    const values = new Float64Array(groups * wide);
    const own = new Map<number, Map<number, number>>();
    const [job, router] = [table.num("job"), table.num("router")];
    for (let row = 0; row < table.rows; row++) {
      const place = router[row]!;
      if (!own.has(place)) own.set(place, new Map());
      own.get(place)!.set(job[row]!, (own.get(place)!.get(job[row]!) ?? 0) + 1);
      if (mask[job[row]!]) values[place]! += 1;
    }
    const chosen = app.state.jobs.map((each) => app.job(each)).join(" and ") || "all jobs";
    this.title.textContent = `Placement: nodes of ${chosen} on each router`;
    this.grid.draw({
      label: `Nodes of ${chosen} on each router; a row is a group. Enter opens a router.`,
      rows: groups,
      columns: wide,
      values,
      most: greatest(values)[1],
      rowLabel: String,
      columnLabel: String,
      rowTitle: groups > 4 ? "group" : "",
      columnTitle: "router in group",
      shown: (value) => `${count(value)} nodes`,
      stretch: true,
      cell: 14,
      height: 420,
      markedRow: app.state.group,
      markedColumn: app.state.router === null ? null : app.state.router % wide,
      lines: (row, column) => {
        const place = row * wide + column;
        const nodes = [...(own.get(place) ?? [])].map(([each, number]) => `${app.job(each)}: ${count(number)} nodes`);
        return [`Router ${place} (group ${row})`, ...(nodes.length ? nodes.slice(0, 8) : ["no node of a job"]), "Click: open the router"];
      },
      pick: (row, column) => app.store.set({ group: row, router: row * wide + column, link: null, packet: null }),
    });
  }
}
