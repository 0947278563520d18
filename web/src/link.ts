// A link: its history by job, who waited, and the recorded packets that passed it with their paths.

import { type App, type Link, linkName } from "./app";
import { jobColour, ink } from "./colour";
import type { Table } from "./data";
import { at, button, Canvas, type Cell, fill, h, hideTip, showTip, table as tableOf } from "./dom";
import { bytes, count, duration, moment, percent, significant, ticks } from "./format";
import { Panel, type Rows } from "./panel";
import { paintAxis } from "./strip";
import { greatest, rowsByWindow, total } from "./sums";
import { pairsAt, paintWaiters, waitersAt, waitersTable } from "./waiters";

interface History {
  starts: number[];
  width: number;
  jobs: number;
  busy: Float64Array;
  stall: Float64Array;
  bytes: Float64Array;
}

const LEFT = 58;
const HEIGHT = 92;
const GAP = 22;

export class LinkPanel extends Panel {
  private readonly canvas = new Canvas();
  private readonly chart = h("div", { class: "chart" });
  private readonly totals = h("div");
  private readonly passed = h("div");
  private history: History | null = null;

  constructor(app: App) {
    super(app, "link", "Link");
    this.chart.append(this.canvas.element);
    this.body.append(this.chart, this.totals, this.passed);
    this.chart.addEventListener("pointermove", (event) => this.hover(event));
    this.chart.addEventListener("pointerleave", () => hideTip());
  }

  private group(link: Link): number {
    return link.sourceGroup >= 0 ? link.sourceGroup : link.targetGroup;
  }

  draw(): void {
    const { app } = this;
    const number = app.state.link;
    this.element.hidden = number === null;
    if (number === null) return;
    const links = app.table("links");
    if (this.lacks(links, "link windows")) return;
    const link = app.link(number);
    if (!link) {
      this.body.hidden = true;
      this.say(`The run has no link ${number}.`);
      return;
    }
    this.title(`Link: ${linkName(link)}`);
    // The windows of the worst links are there already; those of others come with their group.
    const worst = app.ready("worst");
    const source = worst && this.has(worst, number) ? worst : app.table("group", app.run, this.group(link));
    if (this.lacks(source, "link windows") || !source || source instanceof Error) return;
    this.history = this.read(source, number);
    const recorded = !app.facts()?.missing.port_windows;
    const queue = recorded ? app.ready("queue", app.run, number) : null;
    const waiters = waitersAt(app, number);
    this.paint(this.history, typeof waiters === "string" ? null : waiters, queue?.rows ? queue : null);
    this.words(link, this.history, waiters);
    this.packets(link);
  }

  private has(table: Table, number: number): boolean {
    const key = `has${number}`;
    const known = table.facts[key];
    if (typeof known === "boolean") return known;
    const found = table.rows > 0 && table.num("link").indexOf(number) >= 0;
    table.facts[key] = found;
    return found;
  }

  private read(table: Table, number: number): History {
    const { app } = this;
    const facts = app.facts()!;
    const interval = app.interval()!;
    const length = facts.window_ns ?? 1;
    const joined = Number(table.facts.joined ?? 1);
    const jobs = facts.jobs.length;
    const first = Math.floor(interval.first / joined);
    const windows = Math.max(1, Math.ceil(interval.last / joined) - first);
    const history: History = {
      starts: Array.from({ length: windows }, (_, n) => (first + n) * joined * length),
      width: joined * length,
      jobs,
      busy: new Float64Array(windows * jobs),
      stall: new Float64Array(windows * jobs),
      bytes: new Float64Array(windows * jobs),
    };
    const mask = app.mask();
    const rows = rowsByWindow(table, interval.windows);
    const [link, job, window, sent, busy, stall] = ["link", "job", "window", "bytes", "busy_ns", "stall_ns"].map((n) => table.num(n));
    for (let row = rows[interval.first]!; row < rows[interval.last]!; row++) {
      if (link![row] !== number || !mask[job![row]!]) continue;
      const place = (Math.floor(window![row]! / joined) - first) * jobs + job![row]!;
      history.busy[place]! += busy![row]!;
      history.stall[place]! += stall![row]!;
      history.bytes[place]! += sent![row]!;
    }
    return history;
  }

  private paint(history: History, waiters: Table | null, queue: Table | null): void {
    const interval = this.app.interval()!;
    const width = this.chart.clientWidth;
    const strips = 2 + (waiters ? 1 : 0) + (queue ? 1 : 0);
    const bottom = strips * HEIGHT + (strips - 1) * GAP;
    const pen = this.canvas.size(width, bottom + 34);
    const x = (time: number): number => LEFT + ((time - interval.from) / (interval.to - interval.from)) * (width - LEFT - 10);
    (["busy", "stall"] as const).forEach((name, place) => {
      const top = 12 + place * (HEIGHT + GAP);
      paintAxis(pen, { left: LEFT, top, height: HEIGHT, width }, (share) => percent(share).replace(".0", ""));
      history.starts.forEach((start, n) => {
        const end = Math.min(start + history.width, interval.to);
        const [left, right] = [x(Math.max(start, interval.from)), x(end)];
        let below = 0;
        for (let job = 0; job < history.jobs; job++) {
          const share = history[name][n * history.jobs + job]! / (end - start || 1);
          if (share <= 0) continue;
          pen.fillStyle = jobColour(job);
          const tall = Math.min(1 - below, share) * HEIGHT;
          pen.fillRect(left, top + (1 - below) * HEIGHT - tall, Math.max(0.75, right - left - (right - left > 4 ? 0.5 : 0)), tall);
          below = Math.min(1, below + share);
        }
      });
      pen.fillStyle = ink("ink");
      pen.fillText(name === "busy" ? "load by job" : "stall by job", LEFT + 4, top - 6);
    });
    if (waiters) paintWaiters(this.app, pen, waiters, x, { left: LEFT, top: 12 + 2 * (HEIGHT + GAP), height: HEIGHT, width });
    if (queue) this.paintQueue(queue, x, 12 + (strips - 1) * (HEIGHT + GAP), width);
    pen.fillStyle = ink("muted");
    pen.textAlign = "center";
    for (const tick of ticks(interval.from, interval.to, width / 100)) pen.fillText(moment(tick), Math.min(width - 20, x(tick)), bottom + 26);
  }

  /** The flits beyond the link: the mean of each window as bars, the maximum as a line above. */
  private paintQueue(queue: Table, x: (time: number) => number, top: number, width: number): void {
    const interval = this.app.interval()!;
    const pen = this.canvas.pen;
    const [start, length, mean, most] = ["window_start_ns", "window_ns", "occupancy_mean_flits", "occupancy_max_flits"].map((n) => queue.num(n));
    const high = Math.max(1, greatest(most!)[1]);
    paintAxis(pen, { left: LEFT, top, height: HEIGHT, width }, (share) => significant(high * share));
    for (let row = 0; row < queue.rows; row++) {
      const [from, to] = [Math.max(start![row]!, interval.from), Math.min(start![row]! + length![row]!, interval.to)];
      if (to <= from) continue;
      const tall = (mean![row]! / high) * HEIGHT;
      pen.fillStyle = ink("muted");
      pen.fillRect(x(from), top + HEIGHT - tall, Math.max(0.75, x(to) - x(from) - 0.5), tall);
      pen.fillStyle = ink("ink");
      pen.fillRect(x(from), top + HEIGHT - (most![row]! / high) * HEIGHT, Math.max(0.75, x(to) - x(from)), 1.5);
    }
    pen.fillText("queue: flits beyond the link, mean and maximum of the window", LEFT + 4, top - 6);
  }

  private words(link: Link, history: History, waiters: Table | string): void {
    const { app } = this;
    const interval = app.interval()!;
    const facts = app.facts()!;
    const time = interval.time || 1;
    const sums = (values: Float64Array): number[] =>
      facts.jobs.map((_, job) => total(values.filter((_each, n) => n % history.jobs === job)));
    const [busy, stall, sent] = [sums(history.busy), sums(history.stall), sums(history.bytes)];
    const all = total(sent);
    const most = sent.indexOf(Math.max(...sent));
    this.say(
      all > 0
        ? `Busy ${percent(total(busy) / time)} and stalled ${percent(total(stall) / time)} of the interval; ${percent(sent[most]! / all)} of its bytes are ${facts.jobs[most]}'s.`
        : "The link carried nothing in this interval.",
    );
    const rows = facts.jobs.map((name, job): (Cell | string)[] => [
      { text: name, colour: job },
      { text: bytes(sent[job]!), number: true },
      { text: percent(busy[job]! / time), number: true },
      { text: percent(stall[job]! / time), number: true },
    ]);
    const groups = [link.sourceGroup, link.targetGroup].filter((group, n, every) => group >= 0 && every.indexOf(group) === n);
    const { victim, aggressor, measure, cls } = app.state;
    const known = typeof waiters === "string" ? waiters : waiters.rows;
    fill(this.totals, [app.run, link.link, app.state.jobs, app.when(), measure, victim, aggressor, cls, known].join(" "), () => [
      tableOf(["job", "bytes", "load", "stall"], rows),
      waitersTable(app, waiters),
      h(
        "p",
        { class: "note" },
        "Open: ",
        ...groups.flatMap((group) => [button(`group ${group}`, () => app.store.set({ group, router: null }), "", "link"), ", "]),
        ...[link.sourceRouter, link.targetRouter].filter((router) => router >= 0).map((router) => button(`router ${router}`, () => app.store.set({ router, group: app.groupOf(router) }), "", "link")).flatMap((each, n) => (n ? [", ", each] : [each])),
        ". ",
        app.facts()?.missing.port_windows ? `Queue: ${app.facts()!.missing.port_windows} ` : null,
        app.state.cls === link.cls ? null : button(`Blame of ${link.cls} links`, () => app.store.set({ cls: link.cls }), "", "link"),
      ),
    ]);
  }

  private packets(link: Link): void {
    const { app } = this;
    const missing = app.facts()?.missing.packet_hops;
    const found = missing ? null : app.table("packets", app.run, link.link);
    const interval = app.interval()!;
    const chosen = found && !(found instanceof Error) && found.rows ? this.passing(found) : [];
    fill(this.passed, `${app.run} ${link.link} ${app.when()} ${app.state.jobs} ${app.state.packet} ${found instanceof Error ? found.message : (found?.rows ?? "")}`, () => {
      if (missing) return [h("p", { class: "note" }, `Paths of packets: ${missing}`)];
      if (!found) return [h("p", { class: "note" }, "Reading the packets …")];
      if (found instanceof Error) return [h("p", { class: "note" }, found.message)];
      const all = Number(found.facts.packets ?? 0);
      if (!chosen.length) {
        return [h("p", { class: "note" }, all ? `None of the ${count(all)} recorded packets of this link passed it in the interval.` : "No recorded packet passed this link.")];
      }
      const few = chosen.slice(0, 25);
      const note = `${count(chosen.length)} of ${count(all)} recorded packets passed in the interval (${moment(interval.from)} to ${moment(interval.to)}); those that waited longest first.`;
      return [h("h3", {}, "Packets that passed it"), this.packetTable(found, few, note), app.state.packet === null ? null : this.path(found, app.state.packet)];
    });
  }

  /** The rows of a table of packets that stand for this link in the interval. */
  private passing(table: Table): number[] {
    const interval = this.app.interval()!;
    const mask = this.app.mask();
    const [here, job, departed] = [table.num("at"), table.num("job"), table.num("departed_ns")];
    const found: number[] = [];
    for (let row = 0; row < table.rows; row++) {
      if (here[row] && mask[job[row]!] && departed[row]! >= interval.from && departed[row]! < interval.to) found.push(row);
    }
    return found;
  }

  private packetTable(table: Table, rows: number[], note: string): HTMLElement {
    const { app } = this;
    const packet = table.text("packet");
    const [job, rank, to, wait, latency, departed, detour] = ["job", "rank", "destination_rank", "wait_ns", "latency_ns", "departed_ns", "nonminimal"].map((n) => table.num(n));
    return tableOf(
      ["packet", "job", "ranks", "left at", "waited here", "latency", "path"],
      rows.map((row) => [
        { text: packet[row]!, act: () => app.store.set({ packet: app.state.packet === packet[row] ? null : packet[row]! }), strong: app.state.packet === packet[row] },
        { text: app.job(job![row]!), colour: job![row]! },
        `${rank![row]} → ${to![row]}`,
        { text: moment(departed![row]!), number: true },
        { text: duration(wait![row]!), number: true },
        { text: duration(latency![row]!), number: true },
        detour![row] ? "non-minimal" : "minimal",
      ]),
      note,
    );
  }

  /** The path of a packet, router by router. */
  private path(table: Table, number: string): HTMLElement | null {
    const { app } = this;
    const packet = table.text("packet");
    const [router, vc, arrived, wait, next, bytesOf] = ["router", "vc_out", "arrived_ns", "wait_ns", "next", "bytes"].map((n) => table.num(n));
    const rows: (Cell | string)[][] = [];
    let [sum, size] = [0, 0];
    for (let row = 0; row < table.rows; row++) {
      if (packet[row] !== number) continue;
      sum += wait![row]!;
      size = bytesOf![row]!;
      const link = Number.isNaN(next![row]!) ? null : app.link(next![row]!);
      rows.push([
        { text: `router ${router![row]} (group ${app.groupOf(router![row]!)})`, act: () => app.store.set({ router: router![row]!, group: app.groupOf(router![row]!) }) },
        { text: moment(arrived![row]!), number: true },
        { text: duration(wait![row]!), number: true },
        { text: String(vc![row]), number: true },
        link ? { text: linkName(link), act: () => app.openLink(link.link), strong: link.link === app.state.link } : "–",
      ]);
    }
    if (!rows.length) return null;
    const name = h("h3", {}, `Path of packet ${number} (${bytes(size)})`);
    return h("div", { class: "path" }, name, tableOf(["router", "arrived", "waited", "VC out", "left by"], rows, `It waited ${duration(sum)} in routers, all together.`));
  }

  private hover(event: MouseEvent): void {
    const { history, app } = this;
    const interval = app.interval();
    if (!history || !interval) return;
    const [x] = at(event, this.canvas.element);
    const time = interval.from + ((x - LEFT) / (this.canvas.width - LEFT - 10)) * (interval.to - interval.from);
    const n = Math.floor((time - history.starts[0]!) / history.width);
    if (n < 0 || n >= history.starts.length || x < LEFT) return hideTip();
    const start = history.starts[n]!;
    const width = Math.min(history.width, (app.facts()?.simulated_ns ?? Infinity) - start);
    const lines = app.facts()!.jobs.flatMap((name, job) => {
      const place = n * history.jobs + job;
      if (!history.bytes[place] && !history.stall[place]) return [];
      return [`${name}: load ${percent(history.busy[place]! / width)}, stall ${percent(history.stall[place]! / width)}, ${bytes(history.bytes[place]!)}`];
    });
    showTip([moment(start), ...(lines.length ? lines : ["nothing"])], event.clientX, event.clientY);
  }

  /** Who waited at the link because of whom, for tests. */
  waiters(): Rows {
    const found = this.app.state.link === null ? "" : waitersAt(this.app, this.app.state.link);
    const pairs = typeof found === "string" ? [] : pairsAt(this.app, found);
    return { columns: ["victim", "aggressor", "wait_ns"], rows: pairs.map(({ victim, aggressor, wait }) => [victim, aggressor, wait]) };
  }

  rows(): Rows {
    const rows: Rows["rows"] = [];
    const { history } = this;
    if (history && this.app.state.link !== null) {
      history.starts.forEach((start, n) => {
        for (let job = 0; job < history.jobs; job++) {
          const place = n * history.jobs + job;
          if (history.bytes[place] || history.stall[place]) rows.push([start, job, history.bytes[place]!, history.busy[place]!, history.stall[place]!]);
        }
      });
    }
    return { columns: ["window_start_ns", "job", "bytes", "busy_ns", "stall_ns"], rows };
  }

  sql(): string {
    const { link } = this.app.state;
    const views = ["link", "waiters", "queue", "packets"].map((view) => this.app.query(view, { link }));
    return `${views[0]}\n\n-- Who waited there:\n${views[1]}\n\n-- The queue:\n${views[2]}\n\n-- The recorded packets that passed it:\n${views[3]}`;
  }
}
