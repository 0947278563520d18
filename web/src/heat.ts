// Links x time: the links with the highest peaks, by windows of the interval; two runs side by side.

import { type App, type Link, linkName, shortNames } from "./app";
import { skippedByAll, withoutSkipped } from "./axis";
import { Columns } from "./columns";
import type { Table } from "./data";
import { button, fill, h, select } from "./dom";
import { count, duration, moment, percent } from "./format";
import { Panel, type Rows } from "./panel";
import { greatest, rowsByWindow } from "./sums";
import { Trio } from "./trio";

interface Order {
  links: Link[];
  place: Map<number, number>;
  names: string[];
  peaks: number[];
  all: number;
}

export class HeatPanel extends Panel {
  private readonly trio = new Trio();
  private readonly choice = h("span");
  private order: { key: string; found: Order } | null = null;

  constructor(app: App) {
    super(app, "heat", "Links × time");
    this.tools.append(this.choice);
    this.body.append(this.trio.element);
  }

  /** The time of a window that a run simulated. */
  private width(run: number, window: number): number {
    const { window_ns, simulated_ns, skipped } = this.app.facts(run)!;
    const length = window_ns ?? 1;
    const start = window * length;
    return withoutSkipped(skipped, start, Math.min(start + length, simulated_ns));
  }

  /** Whether a run skipped a window. */
  private isSkipped(run: number, window: number): boolean {
    const { window_ns, skipped } = this.app.facts(run)!;
    const [start, end] = [window * (window_ns ?? 1), (window + 1) * (window_ns ?? 1)];
    return withoutSkipped(skipped, start, end) < 1e-6 * (end - start);
  }

  /** The windows of a run: of its worst links, or of those of both runs if one is beside it. */
  private table(run: number): Table | Error | null {
    const { app } = this;
    if (app.beside === null) return app.table("worst", run);
    return app.table("beside", run, run === app.run ? app.beside : app.run);
  }

  /** The highest window and the sum of each link in a run, of the jobs chosen. */
  private peaks(run: number, table: Table): [Map<number, number>, Map<number, number>] {
    const windows = this.app.interval(run)!.windows;
    const starts = rowsByWindow(table, windows);
    const jobs = this.app.mask(run);
    const peaks = new Map<number, number>();
    const totals = new Map<number, number>();
    if (!table.rows) return [peaks, totals];
    const [link, job] = [table.num("link"), table.num("job")];
    const value = table.num(this.app.state.measure === "load" ? "busy_ns" : "stall_ns");
    for (let window = 0; window < windows; window++) {
      let row = starts[window]!;
      const end = starts[window + 1]!;
      while (row < end) {
        const number = link[row]!;
        let sum = 0;
        for (; row < end && link[row] === number; row++) if (jobs[job[row]!]) sum += value[row]!;
        if (sum > 0) totals.set(number, (totals.get(number) ?? 0) + sum);
        // A last window shorter than a tenth of the others is no peak, as in the report.
        const width = this.width(run, window);
        if (width < 0.1 * this.width(run, 0) - 1e-6) continue;
        const share = Math.min(1, sum / width);
        if (share > (peaks.get(number) ?? 0)) peaks.set(number, share);
      }
    }
    return [peaks, totals];
  }

  /** The links of the classes chosen in the order of their peaks over the run (or both), of the jobs chosen. */
  private ordered(table: Table, other: Table | null, links: Table): Order {
    const { app } = this;
    const { state } = app;
    const key = [app.run, other ? app.beside : "", state.measure, state.cls, state.jobs, state.rows].join(" ");
    if (this.order?.key === key) return this.order.found;
    const known = app.linksOf(links);
    const [peaks, totals] = this.peaks(app.run, table);
    if (other) {
      const [more] = this.peaks(app.beside!, other);
      for (const [link, peak] of more) peaks.set(link, Math.max(peak, peaks.get(link) ?? 0));
    }
    const wanted = (each: Link | undefined): each is Link =>
      each !== undefined && (state.cls ? each.cls === state.cls : each.cls !== "injection" && each.cls !== "ejection");
    const found = [...peaks].filter(([number]) => wanted(known.get(number))).sort((a, b) => b[1] - a[1] || (totals.get(b[0]) ?? 0) - (totals.get(a[0]) ?? 0) || a[0] - b[0]);
    const best = found.slice(0, state.rows);
    const order: Order = {
      links: best.map(([number]) => known.get(number)!),
      names: shortNames(best.map(([number]) => known.get(number)!)),
      place: new Map(best.map(([number], n) => [number, n])),
      peaks: best.map(([, peak]) => peak),
      all: found.length,
    };
    this.order = { key, found: order };
    return order;
  }

  /** The share of each window of the interval, a row per link; not a number in skipped time and after the end of the run. */
  private values(run: number, table: Table, order: Order, span: Columns): Float64Array {
    const { app } = this;
    const windows = app.interval(run)!.windows;
    const { first, count: columns } = span;
    const sums = new Float64Array(order.links.length * columns);
    const widths = span.windows.map((window) => (window < 0 || this.isSkipped(run, window) ? 0 : this.width(run, window)));
    if (table.rows) {
      const starts = rowsByWindow(table, windows);
      const jobs = app.mask(run);
      const [link, job, window] = [table.num("link"), table.num("job"), table.num("window")];
      const value = table.num(app.state.measure === "load" ? "busy_ns" : "stall_ns");
      const end = starts[Math.min(windows, span.last)]!;
      for (let row = starts[Math.min(windows, first)]!; row < end; row++) {
        const column = span.place(window[row]!);
        const place = order.place.get(link[row]!);
        if (column >= 0 && place !== undefined && jobs[job[row]!]) sums[place * columns + column]! += value[row]!;
      }
    }
    return sums.map((sum, n) => (widths[n % columns]! > 0 ? Math.min(1, sum / widths[n % columns]!) : NaN));
  }

  /** The windows of the interval, until the end of the longer run, with breaks where all runs shown skipped time. */
  private span(other: boolean): Columns {
    const { app } = this;
    const own = app.interval()!;
    const last = Math.max(own.last, other ? app.interval(app.beside!)!.last : 0);
    const cuts = skippedByAll([app.run, ...(other ? [app.beside!] : [])].map((run) => app.facts(run)!.skipped));
    return new Columns(own.first, last, app.facts()?.window_ns ?? 1, cuts);
  }

  draw(): void {
    const { app } = this;
    const { state } = app;
    fill(this.choice, `${app.state.rows} ${app.facts()?.jobs.length}`, () => [
      select("Links", [["20", "20"], ["40", "40"], ["120", "120"], ["1000", "all here"]], String(state.rows), (text) => app.store.set({ rows: Number(text) })),
      button("✕ Link", () => app.store.set({ link: null, packet: null }), "Close the link"),
    ]);
    const { beside } = app;
    const table = this.table(app.run);
    const links = app.table("links");
    if (this.lacks(table, "link windows")) return;
    if (!table || table instanceof Error || !links || links instanceof Error) return;
    if (!app.interval()) return;
    const lacking = [app.run, ...(beside === null ? [] : [beside])].find((run) => app.facts(run)?.missing.link_windows);
    if (lacking !== undefined) {
      this.body.hidden = true;
      this.say(`No link windows of ${app.facts(lacking)!.title}. ${app.facts(lacking)!.missing.link_windows}`);
      return;
    }
    const other = this.second();
    const order = this.ordered(table, other, links);
    if (!order.links.length) {
      this.body.hidden = true;
      this.say(`No link ${state.cls ? `of class ${state.cls} ` : ""}has a ${state.measure} of the chosen jobs.`);
      return;
    }
    const span = this.span(other !== null);
    const values = this.values(app.run, table, order, span);
    const less = other || beside === null || !app.facts(beside) ? "first − second" : "windows of different length: no second run";
    this.trio.show(beside === null ? null : [...app.titles(), less]);
    this.show(0, order, values, span, 1, app.run);
    this.trio.absent(1, !other);
    this.trio.absent(2, !other);
    let difference: Float64Array | null = null;
    if (other) {
      const second = this.values(beside!, other, order, span);
      difference = values.map((value, n) => value - second[n]!);
      this.show(1, order, second, span, 1, beside!);
      this.show(2, order, difference, span, greatest(difference.map((value) => Math.abs(value) || 0))[1], null);
    }
    this.say(this.finding(order, values, difference, span));
  }

  /** The windows of the run beside it, if they are as long. */
  private second(): Table | null {
    const { app } = this;
    const { beside } = app;
    if (beside === null || app.facts(beside)?.window_ns !== app.facts()?.window_ns) return null;
    const found = this.table(beside);
    return found && !(found instanceof Error) && app.interval(beside) ? found : null;
  }

  /** Draws the values of a run, or of their difference without one. */
  private show(number: 0 | 1 | 2, order: Order, values: Float64Array, span: Columns, most: number, run: number | null): void {
    const { app } = this;
    const { state } = app;
    const signed = run === null;
    const columns = span.count;
    this.trio.grids[number].draw({
      label: `${signed ? "Difference of " : ""}${state.measure} of ${order.links.length} links over time. Arrow keys move, Enter opens a link.`,
      rows: order.links.length,
      columns,
      values,
      most,
      signed,
      rowLabel: (row) => order.names[row]!,
      columnLabel: () => "",
      rowTitle: "",
      columnTitle: "",
      shown: percent,
      // The last window of a run may be shorter; its column is as wide as the others.
      time: span,
      cell: 13,
      height: order.links.length > 120 ? 900 : 760,
      markedRow: state.link === null ? null : (order.place.get(state.link) ?? null),
      lines: (row, column) => {
        const start = span.start(column);
        if (start === null) {
          const [from, to] = span.skipped(column)!;
          return [linkName(order.links[row]!), `${duration(to - from)} skipped, from ${moment(from)}`];
        }
        const value = values[row * columns + column]!;
        const what = signed ? `difference of ${state.measure}` : state.measure;
        return [
          linkName(order.links[row]!),
          `${moment(start)}: ${Number.isNaN(value) ? this.why(span.windows[column]!, run) : `${what} ${percent(value)}`}`,
          ...(signed ? [] : [`peak${app.beside === null ? " of the run" : " of both runs"}: ${percent(order.peaks[row]!)}`]),
        ];
      },
      pick: (row) => app.openLink(order.links[row]!.link),
    });
  }

  /** Why a window has no value: of a run, or of their difference. */
  private why(window: number, run: number | null): string {
    if (run !== null) return this.isSkipped(run, window) ? "the run skipped it" : "the run has ended";
    const { app } = this;
    return [app.run, app.beside!].some((each) => this.isSkipped(each, window)) ? "one run skipped it" : "one run has ended";
  }

  private finding(order: Order, values: Float64Array, difference: Float64Array | null, span: Columns): string {
    const { state } = this.app;
    const columns = span.count;
    const most = Number((this.table(this.app.run) as Table).facts.most ?? 0);
    let [full, best] = [0, 0];
    for (let row = 0; row < order.links.length; row++) {
      let high = 0;
      for (let column = 0; column < columns; column++) high = Math.max(high, values[row * columns + column] || 0);
      if (high > 0.95) full++;
    }
    for (let n = 0; n < values.length; n++) if ((values[n] || 0) > (values[best] || 0)) best = n;
    const place = (n: number): string => `${linkName(order.links[Math.floor(n / columns)]!)} at ${moment(span.start(n % columns) ?? 0)}`;
    const shown = `${order.links.length === 1 ? "The link" : `${count(order.links.length)} links`} with the highest peak ${state.measure} of ${difference ? "both runs" : "the run"}`;
    const limit = ` (of each class, the ${most} links with the highest peak load and stall are here)`;
    const text = `${shown}${limit}. In the interval, ${full === 0 ? "none of them exceeds" : full === 1 ? "1 of them exceeds" : `${count(full)} of them exceed`} 95\u00a0% in a window; the first at the highest, ${percent(values[best] || 0)}, is ${place(best)}.`;
    if (!difference) return text;
    const [widest, by] = greatest(difference.map((value) => Math.abs(value) || 0));
    return by > 0 ? `${text} The largest difference, ${percent(difference[widest]!)}, is that of ${place(widest)}.` : `${text} The second run does not differ.`;
  }

  rows(): Rows {
    const { app } = this;
    const [table, links] = [this.table(app.run), app.ready("links")];
    const other = this.second();
    const columns = ["link", "class", "window_start_ns", app.state.measure, ...(other ? ["beside", "difference"] : [])];
    if (!table || table instanceof Error || !table.rows || !links || !app.interval()) return { columns, rows: [] };
    const order = this.ordered(table, other, links);
    const span = this.span(other !== null);
    const values = this.values(app.run, table, order, span);
    const second = other && this.values(app.beside!, other, order, span);
    const rows: Rows["rows"] = [];
    values.forEach((value, n) => {
      if (!value && !second?.[n]) return;
      const link = order.links[Math.floor(n / span.count)]!;
      const more = second ? [second[n]!, value - second[n]!] : [];
      rows.push([link.link, link.cls, span.start(n % span.count)!, value, ...more]);
    });
    return { columns, rows };
  }

  sql(): string {
    const { app } = this;
    const [table, links] = [this.table(app.run), app.ready("links")];
    if (!table || table instanceof Error || !table.rows || !links || !app.interval()) return app.queries("worst");
    const order = this.ordered(table, this.second(), links);
    return app.queries("worst", { links: order.links.map(({ link }) => link).join(", ") || null });
  }
}
