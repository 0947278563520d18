// The page: header, time, and the linked views below.

import { App } from "./app";
import { BlamePanel } from "./blame";
import { flipTheme, onScheme } from "./colour";
import { embedded } from "./data";
import { button, fill, h, select } from "./dom";
import { duration } from "./format";
import { GridPanel } from "./grid";
import { GroupsPanel } from "./groups";
import { HeatPanel } from "./heat";
import { JobsPanel } from "./jobs";
import { LinkPanel } from "./link";
import { PlacePanel } from "./place";
import { TimePanel } from "./time";

const root = document.getElementById("app")!;
const choices = h("div", { class: "choices" });
const words = h("div", { class: "words" });
const help = h("dialog", { attr: { "aria-label": "Keys" } });
const app = new App(draw);
let time: TimePanel;

const KEYS: [string, string][] = [
  ["← →", "move the interval (Shift: resize; Ctrl: ten windows)"],
  ["Space", "play and pause"],
  [", .", "one interval back, on"],
  ["m", "load or stall"],
  ["0 … 9", "all jobs, or only job 1 … 9"],
  ["Escape", "whole run, then all groups"],
  ["Tab, arrows, Enter", "enter a matrix, move in it, open a cell"],
  ["?", "this list"],
];

function controls(): void {
  const { data, state, store } = app;
  const facts = app.facts();
  const runs = data.subject.runs;
  const classes = app.ready("pairs")?.classes ?? [];
  const present = new Set<number>(app.ready("pairs")?.rows ? app.ready("pairs")!.num("class") : []);
  const key = [app.run, app.beside, state.measure, state.cls, state.jobs, facts?.jobs.length, present.size, app.facts()?.title].join(" ");
  fill(choices, key, () => [
    runs.length > 1 ? select("Run", runs.map((title, n) => [String(n), title]), String(app.run), (n) => store.set({ run: +n, group: null, router: null, link: null, packet: null })) : null,
    runs.length > 1
      ? select("Beside", [["", "–"], ...runs.map((title, n): [string, string] => [String(n), title]).filter(([n]) => +n !== app.run)], app.beside === null ? "" : String(app.beside), (n) => store.set({ beside: n === "" ? null : +n }))
      : null,
    h(
      "span",
      { class: "chips", attr: { role: "group", "aria-label": "Jobs" } },
      ...(facts?.jobs ?? []).slice(0, 24).map((name, job) => {
        const on = !state.jobs.length || state.jobs.includes(job);
        const chip = h("button", { class: `chip${on ? " on" : ""}`, title: "Show only this job; again: all", attr: { type: "button", "aria-pressed": String(on) }, on: { click: () => chosen(job) } }, h("i", { class: `dot c${job % 12}` }), name);
        return chip;
      }),
    ),
    h(
      "span",
      { class: "switch", attr: { role: "group", "aria-label": "Measure" } },
      ...(["load", "stall"] as const).map((each) =>
        h("button", { class: state.measure === each ? "on" : "", title: each === "load" ? "Share of time in which a link sends" : "Share of time in which a packet is ready, the link idle, and no packet has credit", attr: { type: "button", "aria-pressed": String(state.measure === each) }, on: { click: () => store.set({ measure: each }) } }, each),
      ),
    ),
    select("Class", [["", "all between routers"], ...classes.map((name, n): [string, number] => [name, n]).filter(([name, n]) => present.has(n) || name === "injection" || name === "ejection").map(([name]): [string, string] => [name, name])], state.cls, (cls) => store.set({ cls })),
    h("span", { class: "space" }),
    report(),
    button("◐", () => (flipTheme(), store.refresh()), "Light or dark"),
    button("?", () => help.showModal(), "Keys"),
  ]);
}

/** The report, which links back. */
function report(): HTMLElement | null {
  const { report } = app.data.subject;
  if (!report) return null;
  const address = embedded ? report : `${report}${app.run}`;
  return h("a", { title: "The report of this run, whose sentences lead here", attr: { href: address } }, "Report");
}

function chosen(job: number): void {
  const { jobs } = app.state;
  const alone = jobs.length === 1 && jobs[0] === job;
  app.store.set({ jobs: alone ? [] : [job], victim: null, aggressor: null });
}

function sentences(): void {
  const found = app.data.words(app.run);
  const facts = app.data.facts(app.run);
  const own = found && !(found instanceof Error) ? found : null;
  const other = facts instanceof Error ? facts : null;
  const version = app.facts() && app.facts()!.version !== app.data.subject.version;
  fill(words, [app.run, !!own, other?.message, found instanceof Error, !!app.facts(), app.facts()?.joined].join(" "), () => {
    const faults = [...(app.facts()?.faults ?? []), ...(own?.faults ?? [])];
    if (other) faults.push(other.message);
    if (found instanceof Error) faults.push(found.message);
    if (version) faults.push(`The run is of Pantala ${app.facts()!.version}; this is ${app.data.subject.version}.`);
    const joined = app.facts()?.joined ?? 1;
    if (joined > 1) faults.push(`Windows of links are joined by ${joined}: the run has too many for one page.`);
    const [length, record] = [(app.facts()?.window_ns ?? 0) / joined, app.facts()?.record_window_ns ?? 0];
    if (length > 1.5 * record && !app.facts()!.missing.link_windows) {
      faults.push(`Windows of links last ${duration(length)}, those of other records ${duration(record)}; intervals are whole windows of links. record.link_window sets their length; by default it is longer on machines of more than 4,096 nodes.`);
    }
    if (app.facts()?.missing.link_windows) faults.push(`Views of links show the whole run. ${app.facts()!.missing.link_windows}`);
    const { jobs, missing } = app.facts() ?? { jobs: [], missing: {} as Record<string, string> };
    if (missing.link_windows && missing.link_jobs && jobs.length > 1) faults.push(`Views of links count all traffic as ${jobs[0]}'s: bytes by job are not there. ${missing.link_jobs}`);
    const left = app.data.subject.left_out ?? [];
    const caveats = [...(own?.caveats ?? []), ...(own?.warnings ?? [])];
    return [
      ...[...new Set(faults)].map((text) => h("p", { class: "fault" }, text)),
      own
        ? h("p", { class: "finding" }, ...own.finding.flatMap((each) => [`${each.text} `, button("Show it", () => app.go(each.place), "Show the view of this sentence", "link"), " "]))
        : h("p", { class: "finding" }, found instanceof Error ? "" : "Reading the tables …"),
      caveats.length ? h("p", { class: "caveat" }, caveats.join(" ")) : null,
      left.length ? h("p", { class: "caveat" }, `This file leaves out ${left.join("; ")}. pantala explore on the run directory has everything.`) : null,
    ];
  });
}

function draw(): void {
  controls();
  sentences();
  document.querySelector("main")?.classList.toggle("compare", app.beside !== null);
  for (const panel of app.panels) {
    try {
      panel.draw();
    } catch (error) {
      // One view that fails leaves the others alone.
      console.error(error);
      panel.element.classList.add("failed");
    }
    panel.refreshSql();
  }
  steady();
  if (app.goal) app.arrive(root.innerText.includes("Reading the"));
}

/** Sentences grow as the interval moves, and never shrink: nothing below them jumps back and forth. */
let [held, heights] = ["", [] as number[]];

function steady(): void {
  const key = `${innerWidth} ${app.run} ${app.beside}`;
  if (key !== held) {
    [held, heights] = [key, []];
    for (const panel of app.panels) panel.keep(0);
  }
  const now = app.panels.map((panel) => panel.height);
  app.panels.forEach((panel, n) => {
    if (now[n]! > (heights[n] ?? 0)) panel.keep((heights[n] = now[n]!));
  });
}

function keys(event: KeyboardEvent): void {
  const target = event.target as HTMLElement;
  if (event.ctrlKey || event.metaKey || event.altKey || ["INPUT", "SELECT", "TEXTAREA"].includes(target.tagName) || help.open) return;
  const { state, store } = app;
  const jobs = app.facts()?.jobs.length ?? 0;
  if (event.key === "Escape") {
    if (state.from !== null) store.set({ from: null, to: null });
    else if (state.link !== null) store.set({ link: null, packet: null });
    else if (state.router !== null) store.set({ router: null });
    else store.set({ group: null, jobs: [], victim: null, aggressor: null, cls: "" });
  } else if (event.key === " " && target.tagName !== "BUTTON") time.play();
  else if (event.key === ",") time.step(-1);
  else if (event.key === ".") time.step(1);
  else if (event.key === "m") store.set({ measure: state.measure === "load" ? "stall" : "load" });
  else if (event.key === "?") help.showModal();
  else if (event.key === "0") store.set({ jobs: [], victim: null, aggressor: null });
  else if (/^[1-9]$/.test(event.key) && +event.key <= jobs) store.set({ jobs: [+event.key - 1] });
  else if (target === document.body && event.key.startsWith("Arrow") && ["ArrowLeft", "ArrowRight"].includes(event.key)) time.key(event);
  else return;
  event.preventDefault();
}

/** Asks for the tables of the first view, those first that take longest; the views ask for the rest. */
function ask(): void {
  if (!app.facts()) return;
  app.table("groups");
  if (app.beside === null) app.table("worst");
  app.words();
  for (const name of ["links", "pairs", "throughput", "bands", "phases", "blame", "jobs", "latencies", "routing", "placement", "iterations"]) app.table(name);
  for (const run of app.behind()) {
    app.facts(run);
    for (const name of ["throughput", "latencies"]) app.table(name, run);
  }
}

function start(): void {
  try {
    app.open();
  } catch (error) {
    root.replaceChildren(h("p", { class: "fault" }, error instanceof Error ? error.message : String(error)));
    return;
  }
  time = new TimePanel(app);
  app.panels.push(new GridPanel(app), time, new GroupsPanel(app), new PlacePanel(app), new LinkPanel(app), new HeatPanel(app), new BlamePanel(app), new JobsPanel(app));
  const element = (id: string): HTMLElement => app.panel(id)!.element;
  help.append(
    h("h2", {}, "Keys"),
    h("dl", {}, ...KEYS.flatMap(([key, text]) => [h("dt", {}, key), h("dd", {}, text)])),
    button("Close", () => help.close()),
  );
  root.replaceChildren(
    h("header", { class: "top" }, h("h1", {}, app.data.subject.name), choices),
    element("grid"),
    words,
    h("div", { class: "sticky" }, element("time")),
    h("main", {}, element("groups"), element("place"), element("link"), element("heat"), element("blame"), element("jobs")),
    help,
  );
  document.title = `${app.data.subject.name} · Pantala`;
  addEventListener("keydown", keys);
  new ResizeObserver(() => app.store.refresh()).observe(root);
  onScheme(() => app.store.refresh());
  ask();
  draw();
  app.goal = app.state.view;
  for (const moved of ["wheel", "pointerdown", "keydown"]) addEventListener(moved, () => (app.goal = ""), { capture: true, passive: true });
}

// For tests, and for users at the console: the rows and the query of each view.
Object.assign(window, {
  explorer: {
    rows: (view: string) => app.rows(view),
    waiters: () => (app.panel("link") as LinkPanel).waiters(),
    sql: (view: string) => app.panel(view)?.sql() ?? "",
    state: () => app.state,
    set: (change: object) => app.store.set(change),
    idle: () => app.idle,
  },
});
start();
