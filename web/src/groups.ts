// Groups x groups: load, stall or waiting time of the links between groups; two runs side by side, and their difference.

import type { App } from "./app";
import { select } from "./dom";
import { count, duration, percent } from "./format";
import { Panel, type Rows } from "./panel";
import { countLinks, greatest, sumGroups } from "./sums";
import { Trio } from "./trio";
import { pairIn, rounded, waitsBetween } from "./waits";

export interface Matrix {
  groups: number;
  /** The share of time, or the waiting time, that the matrix shows. */
  share: Float64Array;
  sums: Float64Array;
  links: Float64Array;
}

export class GroupsPanel extends Panel {
  private readonly trio = new Trio();

  constructor(app: App) {
    super(app, "groups", "Groups × groups");
    this.body.append(this.trio.element);
  }

  /** Whether the matrix shows waiting times: by choice, or because a pair of jobs is chosen. */
  private get waits(): boolean {
    const { matrix, victim } = this.app.state;
    if (this.app.facts()?.missing.blame_groups) return matrix === "waits";
    return matrix === "waits" || (matrix === "" && victim !== null);
  }

  private get what(): string {
    return this.waits ? "waiting time" : this.app.state.measure;
  }

  /** The jobs whose waiting is shown, in words. */
  private get whose(): string {
    const { app } = this;
    const { victim, aggressor, jobs } = app.state;
    if (victim !== null && aggressor !== null) return victim === aggressor ? `${app.job(victim)} because of itself` : `${app.job(victim)} because of ${app.job(aggressor)}`;
    return jobs.length ? jobs.map((job) => app.job(job)).join(" and ") : "all jobs";
  }

  /** The share of time that the links between two groups were busy or stalled, mean over links. */
  matrix(run: number): Matrix | null {
    const { app } = this;
    const table = app.ready("groups", run);
    const pairs = app.ready("pairs", run);
    const facts = app.facts(run);
    const interval = app.interval(run);
    if (!pairs || !facts || !interval) return null;
    const groups = facts.topology.g ?? 0;
    const cls = app.cls(pairs);
    const links = countLinks(pairs, cls, groups);
    if (this.waits) {
      const waits = app.ready("waits", run);
      if (!waits?.rows) return null;
      const sums = waitsBetween(app, waits, run, groups);
      const nics = app.state.cls === "injection" || app.state.cls === "ejection";
      const there = (n: number): boolean => links[n]! > 0 || (nics && n % (groups + 1) === 0);
      return { groups, share: sums.map((sum, n) => (there(n) ? sum : NaN)), sums, links };
    }
    if (!table) return null;
    const column = app.state.measure === "load" ? "busy_ns" : "stall_ns";
    const sums = sumGroups(table, interval.windows, interval.first, interval.last, app.mask(run), cls, column, groups);
    const { time } = interval;
    const share = sums.map((sum, n) => (links[n] && time > 0 ? sum / (links[n]! * time) : NaN));
    return { groups, share, sums, links };
  }

  draw(): void {
    const { app } = this;
    const { waits } = this;
    const found = app.table(waits ? "waits" : "groups");
    app.table("pairs");
    const signature = `${waits} ${app.state.measure}`;
    if (this.tools.dataset.signature !== signature) {
      this.tools.dataset.signature = signature;
      const choices: [string, string][] = [["links", app.state.measure], ["waits", "waiting time"]];
      this.tools.replaceChildren(select("Show", choices, waits ? "waits" : "links", (matrix) => app.store.set({ matrix })));
    }
    const beside = app.beside;
    this.element.classList.toggle("wide", beside !== null);
    if (this.lacks(found, waits ? "waiting times by groups" : "link windows")) return;
    const own = this.matrix(app.run);
    if (!own) return;
    if (waits && beside !== null) app.table("waits", beside);
    const other = beside === null ? null : this.matrix(beside);
    const same = other !== null && other.groups === own.groups;
    const most = Math.max(greatest(own.share.map((v) => v || 0))[1], other ? greatest(other.share.map((v) => v || 0))[1] : 0);
    const less = same || !other ? "first − second" : "machines of different size: no difference";
    this.trio.show(beside === null ? null : [...app.titles(), less]);
    this.show(0, own, most, false);
    if (other) this.show(1, other, most, false);
    this.trio.absent(1, !other);
    this.trio.absent(2, !same);
    if (other && same) {
      const difference = own.share.map((value, n) => value - other.share[n]!);
      const span = greatest(difference.map((value) => Math.abs(value) || 0))[1];
      this.show(2, { ...own, share: difference }, span, true);
    }
    this.say(this.finding(own, other && same ? other : null));
  }

  private finding(own: Matrix, other: Matrix | null): string {
    const { what, waits } = this;
    const [best, value] = greatest(own.share.map((v) => v || 0));
    if (!(value > 0)) return waits ? `No packet of ${this.whose} waits there in this interval.` : `No ${what} in this interval.`;
    const [row, column] = [Math.floor(best / own.groups), best % own.groups];
    const pair = row === column ? `inside group ${row}` : `from group ${row} to group ${column}`;
    const shown = waits ? duration : percent;
    const sum = own.sums.reduce((all, each) => all + each, 0);
    const table = waits ? this.app.ready("waits") : null;
    const cut = table && rounded(this.app, table) ? ` Waits are counted in windows of ${duration(Number(table.facts.window_ns))}, so more than the interval is in them.` : "";
    const text = waits
      ? `Waiting of ${this.whose}: ${duration(sum)}, summed over packets${other ? `, and ${duration(other.sums.reduce((all, each) => all + each, 0))} in ${this.app.facts(this.app.beside!)!.title}` : ""}. ${percent(value / sum)} of it is ${pair}: ${duration(value)}.${cut}`
      : `The highest ${what} is ${pair}: ${percent(value)} of the interval, mean over its links.`;
    if (!other) return text;
    const difference = own.share.map((each, n) => Math.abs(each - other.share[n]!) || 0);
    const [place] = greatest(difference);
    const [a, b] = [Math.floor(place / own.groups), place % own.groups];
    return `${text} The largest difference is ${a === b ? `inside group ${a}` : `from group ${a} to group ${b}`}: ${shown(own.share[place]!)} and ${shown(other.share[place]!)}.`;
  }

  private show(number: number, matrix: Matrix, most: number, signed: boolean): void {
    const { app, waits } = this;
    const { groups } = matrix;
    const format = waits ? duration : percent;
    const link = app.state.link === null ? null : app.link(app.state.link);
    this.trio.grids[number]!.draw({
      label: `${this.what}${waits ? ` of ${this.whose}` : ""} between groups, ${app.when()}. Arrow keys move, Enter opens a group.`,
      rows: groups,
      columns: groups,
      values: matrix.share,
      most,
      signed,
      rowLabel: String,
      columnLabel: String,
      rowTitle: "sending group",
      columnTitle: "to",
      shown: format,
      cell: groups <= 9 ? 60 : 44,
      height: 540,
      text: (row, column) => (Number.isNaN(matrix.share[row * groups + column]!) ? "" : format(matrix.share[row * groups + column]!)),
      markedRow: app.state.group,
      markedColumn: link && link.sourceGroup === app.state.group && link.targetGroup >= 0 ? link.targetGroup : null,
      lines: (row, column) => {
        const n = row * groups + column;
        const where = row === column ? `Inside group ${row}` : `Group ${row} → group ${column}`;
        const sign = signed ? "difference" : this.what;
        if (Number.isNaN(matrix.share[n]!)) return [where, "no link"];
        const lines = [where, waits ? `${sign} of ${this.whose}: ${duration(matrix.share[n]!)}` : `${sign}: ${percent(matrix.share[n]!)} of the interval`];
        if (!signed && !waits) lines.push(`${duration(matrix.sums[n]!)} over ${count(matrix.links[n]!)} links`);
        return [...lines, app.state.group === row ? "" : "Click: open the sending group"].filter(Boolean);
      },
      pick: (row) => app.store.set({ group: row, router: null, link: null, packet: null }),
    });
  }

  rows(): Rows {
    const { app } = this;
    const own = this.matrix(app.run);
    const second = app.beside === null ? null : this.matrix(app.beside);
    const other = second && second.groups === own?.groups ? second : null;
    const rows: Rows["rows"] = [];
    own?.share.forEach((value, n) => {
      if (Number.isNaN(value) || !(own.sums[n] || other?.sums[n])) return;
      const more = other ? [other.share[n]!, value - other.share[n]!] : [];
      const [row, column] = [Math.floor(n / own.groups), n % own.groups];
      rows.push(this.waits ? [row, column, value, ...more] : [row, column, value, own.sums[n]!, own.links[n]!, ...more]);
    });
    const columns = this.waits ? ["wait_ns"] : [app.state.measure, "sum_ns", "links"];
    return { columns: ["source_group", "target_group", ...columns, ...(other ? ["beside", "difference"] : [])], rows };
  }

  sql(): string {
    const { app } = this;
    if (!this.waits) return app.queries("groups");
    const of = (run: number): string => {
      const { victim, aggressor } = pairIn(app, run);
      const job = (number: number | null): number | null => (number === -1 ? null : (number ?? 65535));
      const more = { victim: job(victim), aggressor: job(aggressor), between: app.state.cls ? null : 1 };
      return app.query("waits", victim === -1 ? more : { ...more, job: null }, run);
    };
    return app.beside === null ? of(app.run) : `${of(app.run)}\n\n-- The run beside it:\n${of(app.beside)}`;
  }
}
