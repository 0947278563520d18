// A place: the hottest links, then a group (routers x routers), then a router (ports), by click.

import { type App, type Link, linkName } from "./app";
import { CellGrid } from "./cells";
import type { Table } from "./data";
import { button, type Cell, fill, h, table as tableOf } from "./dom";
import { bytes, count, percent } from "./format";
import { Panel, type Rows } from "./panel";
import { greatest, sumLinks, total } from "./sums";

interface Port {
  link: Link;
  bytes: number[];
  load: number;
  stall: number;
}

export class PlacePanel extends Panel {
  private readonly crumbs = h("nav", { class: "crumbs", attr: { "aria-label": "Place" } });
  private readonly grid = new CellGrid();
  private readonly list = h("div");

  constructor(app: App) {
    super(app, "place", "Hottest links");
    this.body.append(this.crumbs, this.grid.element, this.list);
  }

  draw(): void {
    const { group, router } = this.app.state;
    this.grid.element.hidden = group === null || (router !== null && !this.app.ready("tiles")?.rows);
    if (group === null) this.hottest();
    else this.inside(group, router);
    this.trail(group, router);
  }

  private trail(group: number | null, router: number | null): void {
    const { store } = this.app;
    fill(this.crumbs, `${group} ${router}`, () => [
      button("All groups", () => store.set({ group: null, router: null, link: null, packet: null }), "", "link"),
      group === null ? null : " › ",
      group === null ? null : button(`group ${group}`, () => store.set({ router: null, link: null, packet: null }), "", "link"),
      router === null ? null : ` › router ${router}`,
    ]);
    this.crumbs.hidden = group === null;
  }

  private hottest(): void {
    const { app } = this;
    this.title("Hottest links");
    this.body.hidden = false;
    const words = app.words();
    this.say(words ? `${words.hottest_when}, as in the report. A click opens the link; a click on the matrix opens a group.` : "Reading the tables …");
    if (!words) return;
    fill(this.list, `hottest ${app.run} ${words.hottest.length}`, () => [
      tableOf(
        ["link", "busy", "peak window", "stalled"],
        words.hottest.map((each) => [
          { text: each.name, act: () => app.openLink(each.link) },
          { text: percent(each.utilization), number: true },
          { text: each.peak_utilization === null ? "–" : percent(each.peak_utilization), number: true },
          { text: each.stall_share === null ? "–" : percent(each.stall_share), number: true },
        ]),
      ),
    ]);
  }

  /** The rows of the links of a group in the interval, by link and job. */
  private ports(group: number): Port[] | Error | null | Table {
    const { app } = this;
    const found = app.table("group", app.run, group);
    const links = app.ready("links");
    const interval = app.interval();
    const facts = app.facts();
    if (!found || found instanceof Error || !links || !interval || !facts) return found instanceof Error ? found : null;
    if (!found.rows) return found;
    const sums = sumLinks(found, interval.windows, interval.first, interval.last, app.mask(), ["bytes", "busy_ns", "stall_ns"]);
    const time = interval.time || 1;
    const ports: Port[] = [];
    for (const link of app.linksOf(links).values()) {
      const own = link.sourceGroup === group || (link.cls === "injection" && link.targetGroup === group);
      if (!own) continue;
      const [sent, busy, stall] = sums.get(link.link) ?? [];
      ports.push({
        link,
        bytes: Array.from(sent ?? new Float64Array(facts.jobs.length)),
        load: busy ? total(busy) / time : 0,
        stall: stall ? total(stall) / time : 0,
      });
    }
    return ports;
  }

  private inside(group: number, router: number | null): void {
    this.title(router === null ? `Group ${group}` : `Router ${router}`);
    const ports = this.ports(group);
    if (ports === null || ports instanceof Error || !Array.isArray(ports)) {
      this.lacks(ports as Table | Error | null, "link windows");
      return;
    }
    this.body.hidden = false;
    const joined = Number(this.app.ready("group", this.app.run, group)?.facts.joined ?? 1);
    const rounded = joined > 1 ? ` Windows are joined by ${joined} in this view.` : "";
    if (router === null) this.routers(group, ports, rounded);
    else this.router(router, ports, rounded);
  }

  private routers(group: number, ports: Port[], rounded: string): void {
    const { app } = this;
    const number = app.facts()?.topology.a ?? 0;
    const first = group * number;
    const values = new Float64Array(number * number).fill(NaN);
    const links = new Float64Array(number * number);
    const { measure } = app.state;
    for (const port of ports) {
      const { link } = port;
      if (link.sourceRouter < 0 || link.targetRouter < 0 || link.targetGroup !== group || link.cls === "injection") continue;
      const n = (link.sourceRouter - first) * number + link.targetRouter - first;
      values[n] = ((values[n] || 0) * links[n]! + port[measure]) / (links[n]! + 1);
      links[n]! += 1;
    }
    const [best, most] = greatest(values.map((value) => value || 0));
    const placed = this.placed(group);
    this.say(
      (most > 0
        ? `The highest ${measure} inside is from router ${first + Math.floor(best / number)} to router ${first + (best % number)}: ${percent(most)}. Nodes: ${placed}.`
        : `No ${measure} inside the group in this interval. Nodes: ${placed}.`) + rounded,
    );
    this.grid.draw({
      label: `${measure} inside group ${group}, router to router`,
      rows: number,
      columns: number,
      values,
      most,
      rowLabel: (row) => `r${first + row}`,
      columnLabel: (column) => `r${first + column}`,
      rowTitle: "sending router",
      columnTitle: "to",
      shown: percent,
      cell: number <= 6 ? 56 : 40,
      height: 330,
      text: (row, column) => (links[row * number + column] ? percent(values[row * number + column]!) : ""),
      lines: (row, column) => {
        const n = row * number + column;
        const where = `Router ${first + row} → router ${first + column}`;
        return links[n] ? [where, `${measure}: ${percent(values[n]!)}`, "Click: open the sending router"] : [where, "no link"];
      },
      pick: (row) => app.store.set({ router: first + row, link: null, packet: null }),
    });
    const out = ports.filter((port) => port.link.cls === "global").sort((a, b) => b[measure] - a[measure]);
    fill(this.list, `global ${app.run} ${group} ${measure} ${app.state.jobs} ${app.when()}`, () => [
      h("h3", {}, "Its global links"),
      this.portTable(out, 10),
    ]);
  }

  private router(router: number, ports: Port[], rounded: string): void {
    const { app } = this;
    const own = ports.filter(({ link }) => link.sourceRouter === router || (link.cls === "injection" && link.targetRouter === router));
    const { measure } = app.state;
    own.sort((a, b) => b[measure] - a[measure]);
    const top = own[0];
    this.say((top && top[measure] > 0 ? `The highest ${measure} is on ${linkName(top.link)}: ${percent(top[measure])}.` : `No ${measure} in this interval.`) + rounded);
    this.tiles(router, own);
    const channels = this.channels(own);
    fill(this.list, `router ${app.run} ${router} ${measure} ${app.state.jobs} ${app.when()} ${channels.length} ${app.ready("tiles")?.rows}`, () => [
      this.portTable(own),
      channels.length
        ? h("div", {}, h("h3", {}, "Virtual channels, whole run"), tableOf(["link", "VC", "bytes", "stalled"], channels))
        : h("p", { class: "note" }, `Virtual channels: ${app.facts()?.missing.port_windows ?? "the run has none."}`),
    ]);
  }

  /** The tiles of an Aries router as they lie on it. */
  private tiles(router: number, ports: Port[]): void {
    const { app } = this;
    const table = app.ready("tiles");
    if (!table?.rows) return;
    const [link, at, tile, down, across] = ["link", "router", "tile", "tile_row", "tile_column"].map((name) => table.num(name));
    const [rows, columns] = [greatest(down!)[1] + 1, greatest(across!)[1] + 1];
    const of = new Map(ports.map((port) => [port.link.link, port]));
    const found: (Port | undefined)[] = new Array(rows * columns).fill(undefined);
    const numbers = new Float64Array(rows * columns);
    for (let row = 0; row < table.rows; row++) {
      if (at![row] !== router) continue;
      const place = down![row]! * columns + across![row]!;
      [found[place], numbers[place]] = [of.get(link![row]!), tile![row]!];
    }
    const { measure } = app.state;
    const values = Float64Array.from(found, (port) => port?.[measure] ?? NaN);
    this.grid.draw({
      label: `${measure} of the tiles of router ${router}, ${app.when()}. Arrow keys move, Enter opens the link of a tile.`,
      rows,
      columns,
      values,
      most: greatest(values.map((value) => value || 0))[1],
      rowLabel: String,
      columnLabel: String,
      rowTitle: "tile row",
      columnTitle: "column",
      shown: percent,
      cell: 26,
      height: 190,
      stretch: true,
      text: (row, column) => (Number.isNaN(values[row * columns + column]!) ? "" : percent(values[row * columns + column]!)),
      lines: (row, column) => {
        const port = found[row * columns + column];
        if (!port) return ["no link on this tile"];
        return [`Tile ${numbers[row * columns + column]}: ${linkName(port.link)}`, `load ${percent(port.load)}, stall ${percent(port.stall)}, ${bytes(total(port.bytes))}`, "Click: open the link"];
      },
      pick: (row, column) => {
        const port = found[row * columns + column];
        if (port) app.openLink(port.link.link);
      },
    });
  }

  private channels(ports: Port[]): (Cell | string)[][] {
    const table = this.app.ready("ports");
    if (!table?.rows) return [];
    const [link, vc, sent, stall] = ["link", "vc", "bytes", "stall_ns"].map((name) => table.num(name));
    const end = this.app.facts()?.simulated_ns ?? 1;
    const known = new Map(ports.map((port) => [port.link.link, port.link]));
    const rows: (Cell | string)[][] = [];
    for (let row = 0; row < table.rows; row++) {
      const own = known.get(link![row]!);
      if (!own) continue;
      rows.push([
        { text: linkName(own), act: () => this.app.openLink(own.link) },
        { text: String(vc![row]), number: true },
        { text: bytes(sent![row]!), number: true },
        { text: percent(stall![row]! / end), number: true },
      ]);
    }
    return rows;
  }

  private portTable(ports: Port[], most = 60): HTMLElement {
    const { app } = this;
    const tiles = app.ready("tiles");
    const jobs = app.facts()?.jobs ?? [];
    const tileOf = new Map<number, string>();
    if (tiles?.rows) {
      const [link, tile] = [tiles.num("link"), tiles.num("tile")];
      for (let row = 0; row < tiles.rows; row++) tileOf.set(link[row]!, `${tileOf.get(link[row]!) ?? ""} ${tile[row]}`.trim());
    }
    const busy = ports.filter((port) => total(port.bytes) > 0 || port.stall > 0);
    const few = busy.slice(0, most);
    const idle = ports.length - busy.length;
    const note = [
      idle ? `${count(idle)} of ${count(ports.length)} links carried nothing.` : "",
      few.length < busy.length ? `${count(busy.length - few.length)} more; CSV has all.` : "",
    ].join(" ");
    return tableOf(
      ["link", ...(tileOf.size ? ["tile"] : []), "load", "stall", "bytes", "by job"],
      few.map((port) => [
        { text: linkName(port.link), act: () => app.openLink(port.link.link), strong: port.link.link === app.state.link },
        ...(tileOf.size ? [{ text: tileOf.get(port.link.link) ?? "", number: true }] : []),
        { text: percent(port.load), number: true },
        { text: percent(port.stall), number: true },
        { text: bytes(total(port.bytes)), number: true },
        { bar: port.bytes.map((value) => value / (total(port.bytes) || 1)), text: port.bytes.map((value, job) => (value > 0 ? `${jobs[job]} ${percent(value / total(port.bytes))}` : "")).filter(Boolean).join(", ") },
      ]),
      note.trim(),
    );
  }

  /** The nodes of each job in a group. */
  private placed(group: number): string {
    const table = this.app.ready("placement");
    if (!table?.rows) return "unknown";
    const [job, place] = [table.num("job"), table.num("group")];
    const counts = new Map<number, number>();
    for (let row = 0; row < table.rows; row++) if (place[row] === group) counts.set(job[row]!, (counts.get(job[row]!) ?? 0) + 1);
    return [...counts].map(([each, nodes]) => `${count(nodes)} of ${this.app.job(each)}`).join(", ") || "none with a job";
  }

  rows(): Rows {
    const { group, router } = this.app.state;
    const jobs = this.app.facts()?.jobs ?? [];
    if (group === null) {
      const hottest = this.app.words()?.hottest ?? [];
      return {
        columns: ["link", "name", "utilization", "peak_utilization", "stall_share"],
        rows: hottest.map((each) => [each.link, each.name, each.utilization, each.peak_utilization, each.stall_share]),
      };
    }
    const found = this.ports(group);
    const ports = Array.isArray(found) ? found : [];
    const own = router === null ? ports : ports.filter(({ link }) => link.sourceRouter === router || (link.cls === "injection" && link.targetRouter === router));
    return {
      columns: ["link", "class", "source_router", "target_router", "target_group", "node", "load", "stall", ...jobs.map((name) => `bytes of ${name}`)],
      rows: own.map(({ link, load, stall, bytes: sent }) => [link.link, link.cls, link.sourceRouter, link.targetRouter, link.targetGroup, link.node, load, stall, ...sent]),
    };
  }

  sql(): string {
    const { group, router } = this.app.state;
    if (group === null) {
      const words = this.app.words();
      const [from, to, time, window] = words?.hottest_span ?? [];
      if (!words || from === undefined) return "";
      return this.app.query("hottest", { from, to: to!, time: time ?? null, sampled: time === null ? 1 : null, window: window ?? null, end: this.app.facts()!.simulated_ns, most: words.hottest.length });
    }
    return router === null ? this.app.query("group", { group }) : this.app.query("router", { router });
  }
}

