// Links x time: the links with the highest peaks, by windows of the interval.

import { type App, type Link, linkName, shortLink } from "./app";
import { CellGrid } from "./cells";
import type { Table } from "./data";
import { button, fill, h, select } from "./dom";
import { count, moment, percent } from "./format";
import { Panel, type Rows } from "./panel";
import { rowsByWindow } from "./sums";

interface Order {
  links: Link[];
  place: Map<number, number>;
  peaks: number[];
  all: number;
}

export class HeatPanel extends Panel {
  private readonly grid = new CellGrid();
  private readonly choice = h("span");
  private order: { key: string; found: Order } | null = null;

  constructor(app: App) {
    super(app, "heat", "Links × time");
    this.tools.append(this.choice);
    this.body.append(this.grid.element);
  }

  private widths(first: number, last: number): Float64Array {
    const facts = this.app.facts()!;
    const length = facts.window_ns ?? 1;
    return Float64Array.from({ length: last - first }, (_, n) => Math.min(length, facts.simulated_ns - (first + n) * length));
  }

  /** The links of the classes chosen in the order of their peaks over the run, of the jobs chosen. */
  private ordered(table: Table, links: Table): Order {
    const { app } = this;
    const { state } = app;
    const key = [app.run, state.measure, state.cls, state.jobs, state.rows].join(" ");
    if (this.order?.key === key) return this.order.found;
    const interval = app.interval()!;
    const known = app.linksOf(links);
    const widths = this.widths(0, interval.windows);
    const starts = rowsByWindow(table, interval.windows);
    const jobs = app.mask();
    const [link, job] = [table.num("link"), table.num("job")];
    const value = table.num(state.measure === "load" ? "busy_ns" : "stall_ns");
    const peaks = new Map<number, number>();
    const totals = new Map<number, number>();
    for (let window = 0; window < interval.windows; window++) {
      let row = starts[window]!;
      const end = starts[window + 1]!;
      while (row < end) {
        const number = link[row]!;
        let sum = 0;
        for (; row < end && link[row] === number; row++) if (jobs[job[row]!]) sum += value[row]!;
        if (sum > 0) totals.set(number, (totals.get(number) ?? 0) + sum);
        const share = Math.min(1, sum / widths[window]!);
        if (share > (peaks.get(number) ?? 0)) peaks.set(number, share);
      }
    }
    const wanted = (each: Link | undefined): each is Link =>
      each !== undefined && (state.cls ? each.cls === state.cls : each.cls !== "injection" && each.cls !== "ejection");
    const found = [...peaks].filter(([number]) => wanted(known.get(number))).sort((a, b) => b[1] - a[1] || (totals.get(b[0]) ?? 0) - (totals.get(a[0]) ?? 0) || a[0] - b[0]);
    const best = found.slice(0, state.rows);
    const order: Order = {
      links: best.map(([number]) => known.get(number)!),
      place: new Map(best.map(([number], n) => [number, n])),
      peaks: best.map(([, peak]) => peak),
      all: found.length,
    };
    this.order = { key, found: order };
    return order;
  }

  /** The share of each window of the interval, a row per link. */
  private values(table: Table, order: Order): Float64Array {
    const { app } = this;
    const interval = app.interval()!;
    const columns = interval.last - interval.first;
    const values = new Float64Array(order.links.length * columns);
    const starts = rowsByWindow(table, interval.windows);
    const jobs = app.mask();
    const [link, job, window] = [table.num("link"), table.num("job"), table.num("window")];
    const value = table.num(app.state.measure === "load" ? "busy_ns" : "stall_ns");
    const widths = this.widths(interval.first, interval.last);
    for (let row = starts[interval.first]!; row < starts[interval.last]!; row++) {
      const place = order.place.get(link[row]!);
      if (place === undefined || !jobs[job[row]!]) continue;
      const column = window[row]! - interval.first;
      values[place * columns + column]! += value[row]! / widths[column]!;
    }
    return values.map((each) => Math.min(1, each));
  }

  draw(): void {
    const { app } = this;
    const { state } = app;
    fill(this.choice, `${app.state.rows} ${app.facts()?.jobs.length}`, () => [
      select("Links", [["20", "20"], ["40", "40"], ["120", "120"], ["1000", "all here"]], String(state.rows), (text) => app.store.set({ rows: Number(text) })),
      button("✕ Link", () => app.store.set({ link: null, packet: null }), "Close the link"),
    ]);
    const table = app.table("worst");
    const links = app.table("links");
    if (this.lacks(table, "link windows")) return;
    if (!(table instanceof Object) || table instanceof Error || !links || links instanceof Error) return;
    const interval = app.interval();
    if (!interval) return;
    if (app.facts()?.missing.link_windows) {
      this.body.hidden = true;
      this.say(`No link windows. ${app.facts()!.missing.link_windows}`);
      return;
    }
    const order = this.ordered(table, links);
    if (!order.links.length) {
      this.body.hidden = true;
      this.say(`No link ${state.cls ? `of class ${state.cls} ` : ""}has a ${state.measure} of the chosen jobs.`);
      return;
    }
    const values = this.values(table, order);
    const columns = interval.last - interval.first;
    const facts = app.facts()!;
    const length = facts.window_ns ?? 1;
    const start = (column: number): number => (interval.first + column) * length;
    this.say(this.finding(order, values, columns, start));
    this.grid.draw({
      label: `${state.measure} of ${order.links.length} links over time. Arrow keys move, Enter opens a link.`,
      rows: order.links.length,
      columns,
      values,
      most: 1,
      rowLabel: (row) => shortLink(order.links[row]!),
      columnLabel: () => "",
      rowTitle: "",
      columnTitle: "",
      shown: percent,
      // The last window of a run may be shorter; its column is as wide as the others.
      time: [interval.first * length, interval.last * length],
      cell: 13,
      height: order.links.length > 120 ? 900 : 760,
      markedRow: state.link === null ? null : (order.place.get(state.link) ?? null),
      lines: (row, column) => [
        linkName(order.links[row]!),
        `${moment(start(column))}: ${state.measure} ${percent(values[row * columns + column]!)}`,
        `peak of the run: ${percent(order.peaks[row]!)}`,
      ],
      pick: (row) => app.openLink(order.links[row]!.link),
    });
  }

  private finding(order: Order, values: Float64Array, columns: number, start: (column: number) => number): string {
    const { state } = this.app;
    const most = Number(this.app.ready("worst")?.facts.most ?? 0);
    let [full, best] = [0, 0];
    for (let row = 0; row < order.links.length; row++) {
      let high = 0;
      for (let column = 0; column < columns; column++) high = Math.max(high, values[row * columns + column]!);
      if (high > 0.95) full++;
    }
    for (let n = 0; n < values.length; n++) if (values[n]! > values[best]!) best = n;
    const where = linkName(order.links[Math.floor(best / columns)]!);
    const shown = `${order.links.length === 1 ? "The link" : `${count(order.links.length)} links`} with the highest peak ${state.measure} of the run`;
    const limit = ` (of each class, the ${most} links with the highest peak load and stall are here)`;
    return `${shown}${limit}. In the interval, ${count(full)} of them exceed 95\u00a0% in a window; the first at the highest, ${percent(values[best]!)}, is ${where} at ${moment(start(best % columns))}.`;
  }

  rows(): Rows {
    const [table, links] = [this.app.ready("worst"), this.app.ready("links")];
    const interval = this.app.interval();
    const columns = ["link", "class", "window_start_ns", this.app.state.measure];
    if (!table?.rows || !links || !interval) return { columns, rows: [] };
    const order = this.ordered(table, links);
    const values = this.values(table, order);
    const wide = interval.last - interval.first;
    const length = this.app.facts()?.window_ns ?? 1;
    const rows: Rows["rows"] = [];
    values.forEach((value, n) => {
      if (!value) return;
      const link = order.links[Math.floor(n / wide)]!;
      rows.push([link.link, link.cls, (interval.first + (n % wide)) * length, value]);
    });
    return { columns, rows };
  }

  sql(): string {
    return this.app.query("worst");
  }
}
