// A link: its history by job, who waited, and the recorded packets that passed it with their paths.

import { type App, type Link, linkName } from "./app";
import type { Table } from "./data";
import { button, type Cell, fill, h, table as tableOf } from "./dom";
import { bytes, count, duration, moment, percent } from "./format";
import { type History, LinkChart, flitsOf, historyOf, type Strips } from "./history";
import { Panel, type Rows } from "./panel";
import { total } from "./sums";
import { type Queued, pairsAt, queuedAt, waitersAt, waitersTable } from "./waiters";

export class LinkPanel extends Panel {
  private readonly charts: [LinkChart, LinkChart];
  private readonly totals = h("div", { class: "pair" });
  private readonly open = h("p", { class: "note" });
  private readonly passed = h("div");
  /** The histories in the run, and in the run beside it. */
  private histories: History[] = [];

  constructor(app: App) {
    super(app, "link", "Link");
    this.charts = [new LinkChart(app), new LinkChart(app)];
    this.body.append(h("div", { class: "matrices" }, ...this.charts.map((chart) => chart.element)), this.totals, this.open, this.passed);
  }

  private group(link: Link): number {
    return link.sourceGroup >= 0 ? link.sourceGroup : link.targetGroup;
  }

  draw(): void {
    const { app } = this;
    const number = app.state.link;
    this.element.hidden = number === null;
    this.histories = [];
    if (number === null) return;
    const links = app.table("links");
    if (this.lacks(app.interval() ? links : null, "link windows")) return;
    const link = app.link(number);
    if (!link) {
      this.body.hidden = true;
      this.say(`The run has no link ${number}.`);
      return;
    }
    this.title(`Link: ${linkName(link)}`);
    const source = this.source(app.run, link);
    if (this.lacks(source, "link windows") || !source || source instanceof Error) return;
    this.histories = [historyOf(app, app.run, source, number)];
    const why = this.second(link);
    const waiters = waitersAt(app, number);
    const others = app.beside === null ? null : this.histories.length > 1 ? waitersAt(app, number, app.beside) : why;
    this.paint(number, waiters, others, why);
    this.words(link, waiters, others);
    this.packets(link);
  }

  /** The table with the windows of a link: that of the worst links, or that of its group. */
  private source(run: number, link: Link): Table | Error | null {
    const { app } = this;
    const worst = app.beside === null ? app.ready("worst", run) : app.ready("beside", run, run === app.run ? app.beside : app.run);
    return worst && this.has(worst, link.link) ? worst : app.table("group", run, this.group(link));
  }

  /** Reads the history in the run beside it; the sentence that says why there is none. */
  private second(link: Link): string {
    const { app } = this;
    const { beside } = app;
    if (beside === null) return "";
    const facts = app.facts(beside);
    const compared = app.table("beside", beside, app.run);
    if (!facts || !app.interval(beside) || !compared) return "Reading the tables …";
    if (!(compared instanceof Error) && compared.remedy) return compared.remedy;
    const source = this.source(beside, link);
    if (!source) return "Reading the tables …";
    if (source instanceof Error) return source.message;
    this.histories.push(historyOf(app, beside, source, link.link));
    return "";
  }

  private has(table: Table, number: number): boolean {
    const key = `has${number}`;
    const known = table.facts[key];
    if (typeof known === "boolean") return known;
    const found = table.rows > 0 && table.num("link").indexOf(number) >= 0;
    table.facts[key] = found;
    return found;
  }

  private paint(number: number, waiters: Table | string, others: Table | string | null, why: string): void {
    const { app } = this;
    const queued = [waiters, others].map((table, n): Queued | null => (table === null || typeof table === "string" ? null : queuedAt(app, this.histories[n]!.run, table)));
    const queues = this.histories.map(({ run }) => {
      const queue = app.facts(run)!.missing.port_windows ? null : app.ready("queue", run, number);
      return queue?.rows ? queue : null;
    });
    const intervals = this.histories.map(({ run }) => app.interval(run)!);
    const shared: Omit<Strips, "history" | "queued" | "queue"> = {
      span: [intervals[0]!.from, Math.max(...intervals.map(({ to }) => to))],
      mostQueued: Math.max(...queued.map((each) => each?.most ?? 0)) || 1,
      mostFlits: flitsOf(queues),
      waiters: queued.some((each) => each !== null),
      flits: queues.some((each) => each !== null),
    };
    const titles = app.titles();
    this.charts.forEach((chart, n) => {
      chart.element.hidden = n > 0 && app.beside === null;
      const history = this.histories[n];
      if (!history) chart.absent(`${titles[1]}: ${why}`);
      else chart.draw(app.beside === null ? "" : titles[n]!, `Load, stall and waiting packets of the link in ${app.facts(history.run)!.title}, ${app.when()}`, { ...shared, history, queued: queued[n] ?? null, queue: queues[n] ?? null });
    });
  }

  /** The sums of a history by job. */
  private sums({ jobs, busy, stall, bytes: sent }: History): Record<"busy" | "stall" | "sent", number[]> {
    const of = (values: Float64Array): number[] => Array.from({ length: jobs }, (_, job) => total(values.filter((_each, n) => n % jobs === job)));
    return { busy: of(busy), stall: of(stall), sent: of(sent) };
  }

  private words(link: Link, waiters: Table | string, others: Table | string | null): void {
    const { app } = this;
    const facts = app.facts()!;
    const sums = this.histories.map((history) => ({ ...this.sums(history), facts: app.facts(history.run)!, time: app.interval(history.run)!.time || 1 }));
    const said = sums.map(({ busy, stall, sent, facts: its, time }) => {
      const all = total(sent);
      const most = sent.indexOf(Math.max(...sent));
      if (!(all > 0)) return "carried nothing in this interval.";
      return `busy ${percent(total(busy) / time)} and stalled ${percent(total(stall) / time)} of the interval; ${percent(sent[most]! / all)} of its bytes are ${its.jobs[most]}'s.`;
    });
    const first = said[0]!.startsWith("carried") ? `The link ${said[0]}` : said[0]!.replace("busy", "Busy");
    this.say(app.beside === null ? first : sums.map(({ facts: its }, n) => `${its.title}: ${said[n]}`).join(" "));
    const names = [...new Set(sums.flatMap(({ facts: its }) => its.jobs))];
    const rows = names.map((name, place): (Cell | string)[] => [
      { text: name, colour: place < facts.jobs.length ? place : app.colourIn(app.beside!, sums[1]!.facts.jobs.indexOf(name)) },
      ...sums.flatMap(({ busy, stall, sent, facts: its, time }): Cell[] => {
        const job = its.jobs.indexOf(name);
        const shown = job < 0 ? ["–", "–", "–"] : [bytes(sent[job]!), percent(busy[job]! / time), percent(stall[job]! / time)];
        return shown.map((text) => ({ text, number: true }));
      }),
    ]);
    const heads = sums.flatMap((_, n) => ["bytes", "load", "stall"].map((text) => (n ? `${text} beside` : text)));
    const { victim, aggressor, measure, cls } = app.state;
    const known = [waiters, others].map((each) => (each === null || typeof each === "string" ? each : each.rows));
    const key = [app.run, app.beside, link.link, app.state.jobs, app.when(), measure, victim, aggressor, cls, this.histories.length, ...known].join(" ");
    fill(this.totals, key, () => [h("div", {}, h("h3", {}, "What it carried"), tableOf(["job", ...heads], rows)), waitersTable(app, waiters, others)]);
    this.ends(link);
  }

  /** The groups and routers at its ends. */
  private ends(link: Link): void {
    const { app } = this;
    const groups = [link.sourceGroup, link.targetGroup].filter((group, n, every) => group >= 0 && every.indexOf(group) === n);
    const routers = [link.sourceRouter, link.targetRouter].filter((router) => router >= 0);
    const queue = app.facts()?.missing.port_windows;
    fill(this.open, [app.run, link.link, app.state.cls].join(" "), () => [
      "Open: ",
      ...groups.flatMap((group) => [button(`group ${group}`, () => app.store.set({ group, router: null }), "", "link"), ", "]),
      ...routers.flatMap((router, n) => [n ? ", " : null, button(`router ${router}`, () => app.store.set({ router, group: app.groupOf(router) }), "", "link")]),
      ". ",
      queue ? `Queue: ${queue} ` : null,
      app.state.cls === link.cls ? null : button(`Blame of ${link.cls} links`, () => app.store.set({ cls: link.cls }), "", "link"),
    ]);
  }

  private packets(link: Link): void {
    const { app } = this;
    const missing = app.facts()?.missing.packet_hops;
    const found = missing ? null : app.table("packets", app.run, link.link);
    const interval = app.interval()!;
    const chosen = found && !(found instanceof Error) && found.rows ? this.passing(found) : [];
    fill(this.passed, `${app.run} ${app.beside} ${link.link} ${app.when()} ${app.state.jobs} ${app.state.packet} ${found instanceof Error ? found.message : (found?.rows ?? "")}`, () => {
      if (missing) return [h("p", { class: "note" }, `Paths of packets: ${missing}`)];
      if (!found) return [h("p", { class: "note" }, "Reading the packets …")];
      if (found instanceof Error) return [h("p", { class: "note" }, found.message)];
      const all = Number(found.facts.packets ?? 0);
      if (!chosen.length) {
        return [h("p", { class: "note" }, all ? `None of the ${count(all)} recorded packets of this link passed it in the interval.` : "No recorded packet passed this link.")];
      }
      const few = chosen.slice(0, 25);
      const note = `${count(chosen.length)} of ${count(all)} recorded packets passed in the interval (${moment(interval.from)} to ${moment(interval.to)}); those that waited longest first.`;
      return [h("h3", {}, `Packets that passed it${app.beside === null ? "" : ` (${app.facts()!.title})`}`), this.packetTable(found, few, note), app.state.packet === null ? null : this.path(found, app.state.packet)];
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

  /** Who waited at the link because of whom, for tests. */
  waiters(): Rows {
    const { link } = this.app.state;
    const { beside } = this.app;
    const columns = ["victim", "aggressor", "wait_ns"];
    if (link === null || !this.histories.length) return { columns, rows: [] };
    const others = beside === null || this.histories.length < 2 ? null : waitersAt(this.app, link, beside);
    const pairs = pairsAt(this.app, waitersAt(this.app, link), others);
    return {
      columns: beside === null ? columns : [...columns, "beside", "difference"],
      rows: pairs.map(({ victim, aggressor, wait, beside: second }) => [victim, aggressor, wait, ...(beside === null ? [] : [second, wait - second])]),
    };
  }

  rows(): Rows {
    const rows: Rows["rows"] = [];
    const { app } = this;
    const both = app.beside !== null;
    for (const history of app.state.link === null ? [] : this.histories) {
      history.starts.forEach((start, n) => {
        for (let job = 0; job < history.jobs; job++) {
          const place = n * history.jobs + job;
          if (!history.bytes[place] && !history.stall[place]) continue;
          const own = [start, job, history.bytes[place]!, history.busy[place]!, history.stall[place]!];
          rows.push(both ? [app.facts(history.run)!.title, ...own] : own);
        }
      });
    }
    return { columns: [...(both ? ["run"] : []), "window_start_ns", "job", "bytes", "busy_ns", "stall_ns"], rows };
  }

  sql(): string {
    const { app } = this;
    const { link } = app.state;
    const of = (run: number): string => {
      const views = ["link", "waiters", "queue", "packets"].map((view) => app.query(view, { link }, run));
      return `${views[0]}\n\n-- Who waited there:\n${views[1]}\n\n-- The queue:\n${views[2]}\n\n-- The recorded packets that passed it:\n${views[3]}`;
    };
    return app.beside === null ? of(app.run) : `${of(app.run)}\n\n-- The run beside it:\n${of(app.beside)}`;
  }
}
