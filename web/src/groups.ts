// Groups x groups: load or stall of the links between groups; two runs side by side, and their difference.

import type { App } from "./app";
import { count, duration, percent } from "./format";
import { Panel, type Rows } from "./panel";
import { countLinks, greatest, sumGroups } from "./sums";
import { Trio } from "./trio";

export interface Matrix {
  groups: number;
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

  /** The share of time that the links between two groups were busy or stalled, mean over links. */
  matrix(run: number): Matrix | null {
    const { app } = this;
    const table = app.ready("groups", run);
    const pairs = app.ready("pairs", run);
    const facts = app.facts(run);
    const interval = app.interval(run);
    if (!table || !pairs || !facts || !interval) return null;
    const groups = facts.topology.g ?? 0;
    const cls = app.cls(table);
    const column = app.state.measure === "load" ? "busy_ns" : "stall_ns";
    const sums = sumGroups(table, interval.windows, interval.first, interval.last, app.mask(run), cls, column, groups);
    const links = countLinks(pairs, cls, groups);
    const { time } = interval;
    const share = sums.map((sum, n) => (links[n] && time > 0 ? sum / (links[n]! * time) : NaN));
    return { groups, share, sums, links };
  }

  draw(): void {
    const { app } = this;
    const found = app.table("groups");
    app.table("pairs");
    const beside = app.beside;
    this.element.classList.toggle("wide", beside !== null);
    if (this.lacks(found, "link windows")) return;
    const own = this.matrix(app.run);
    if (!own) return;
    const other = beside === null ? null : this.matrix(beside);
    const same = other !== null && other.groups === own.groups;
    const most = Math.max(greatest(own.share.map((v) => v || 0))[1], other ? greatest(other.share.map((v) => v || 0))[1] : 0);
    const less = same || !other ? "first − second" : "machines of different size: no difference";
    this.trio.show(beside === null ? null : [app.facts()?.title ?? "", app.facts(beside)?.title ?? "…", less]);
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
    const what = this.app.state.measure;
    const [best, value] = greatest(own.share.map((v) => v || 0));
    if (!(value > 0)) return `No ${what} in this interval.`;
    const [row, column] = [Math.floor(best / own.groups), best % own.groups];
    const pair = row === column ? `inside group ${row}` : `from group ${row} to group ${column}`;
    const text = `The highest ${what} is ${pair}: ${percent(value)} of the interval, mean over its links.`;
    if (!other) return text;
    const difference = own.share.map((each, n) => Math.abs(each - other.share[n]!) || 0);
    const [place] = greatest(difference);
    const [a, b] = [Math.floor(place / own.groups), place % own.groups];
    return `${text} The largest difference is ${a === b ? `inside group ${a}` : `from group ${a} to group ${b}`}: ${percent(own.share[place]!)} and ${percent(other.share[place]!)}.`;
  }

  private show(number: number, matrix: Matrix, most: number, signed: boolean): void {
    const { app } = this;
    const { groups } = matrix;
    const link = app.state.link === null ? null : app.link(app.state.link);
    this.trio.grids[number]!.draw({
      label: `${app.state.measure} between groups, ${app.when()}. Arrow keys move, Enter opens a group.`,
      rows: groups,
      columns: groups,
      values: matrix.share,
      most,
      signed,
      rowLabel: String,
      columnLabel: String,
      rowTitle: "sending group",
      columnTitle: "to",
      shown: percent,
      cell: 44,
      height: 540,
      markedRow: app.state.group,
      markedColumn: link && link.sourceGroup === app.state.group && link.targetGroup >= 0 ? link.targetGroup : null,
      lines: (row, column) => {
        const n = row * groups + column;
        const where = row === column ? `Inside group ${row}` : `Group ${row} → group ${column}`;
        const sign = signed ? "difference" : app.state.measure;
        if (!matrix.links[n]) return [where, "no link"];
        const lines = [where, `${sign}: ${percent(matrix.share[n]!)} of the interval`];
        if (!signed) lines.push(`${duration(matrix.sums[n]!)} over ${count(matrix.links[n]!)} links`);
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
      if (!own.links[n] || !(own.sums[n] || other?.sums[n])) return;
      const more = other ? [other.share[n]!, value - other.share[n]!] : [];
      rows.push([Math.floor(n / own.groups), n % own.groups, value, own.sums[n]!, own.links[n]!, ...more]);
    });
    return { columns: ["source_group", "target_group", app.state.measure, "sum_ns", "links", ...(other ? ["beside", "difference"] : [])], rows };
  }

  sql(): string {
    return this.app.queries("groups");
  }
}
