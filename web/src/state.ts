// What is selected. It is in the address, so that every view has a permalink.

export type Measure = "load" | "stall";

export interface State {
  run: number;
  beside: number | null;
  from: number | null;
  to: number | null;
  jobs: number[];
  measure: Measure;
  cls: string;
  strip: string;
  group: number | null;
  router: number | null;
  link: number | null;
  packet: string | null;
  victim: number | null;
  aggressor: number | null;
  rows: number;
  view: string;
  /** What the matrix of groups shows: "waits", "links" (load or stall), or the one that fits the selection. */
  matrix: string;
  /** The map of the placement: of groups or of routers. */
  map: string;
  /** The grid of a sweep: its axes, metric, job and cell. */
  down: number | null;
  across: number | null;
  metric: number | null;
  who: number | null;
  cell: number | null;
}

const START: State = {
  run: 0,
  beside: null,
  from: null,
  to: null,
  jobs: [],
  measure: "load",
  cls: "",
  strip: "throughput",
  group: null,
  router: null,
  link: null,
  packet: null,
  victim: null,
  aggressor: null,
  rows: 40,
  view: "",
  matrix: "",
  map: "",
  down: null,
  across: null,
  metric: null,
  who: null,
  cell: null,
};

const NUMBERS = ["run", "beside", "from", "to", "group", "router", "link", "victim", "aggressor", "rows", "down", "across", "metric", "who", "cell"] as const;

export function read(hash: string): State {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  const state: State = { ...START };
  for (const key of NUMBERS) {
    const text = given.get(key);
    if (text !== null && /^\d+(\.\d+)?$/.test(text)) state[key] = Number(text) as never;
  }
  for (const key of ["cls", "strip", "view", "packet", "matrix", "map"] as const) {
    const text = given.get(key);
    if (text !== null && /^[a-z0-9_]{0,24}$/.test(text)) state[key] = text as never;
  }
  if (given.get("measure") === "stall") state.measure = "stall";
  const jobs = given.get("jobs");
  if (jobs && /^\d+(,\d+)*$/.test(jobs)) state.jobs = jobs.split(",").map(Number);
  if (state.from === null || state.to === null || state.from >= state.to) state.from = state.to = null;
  return state;
}

export function written(state: State): string {
  const given = new URLSearchParams();
  for (const key of Object.keys(START) as (keyof State)[]) {
    const value = state[key];
    if (key === "jobs") {
      if (state.jobs.length) given.set(key, state.jobs.join(","));
    } else if (value !== START[key] && value !== null) given.set(key, String(value));
  }
  return `#${given.toString().replaceAll("%2C", ",")}`;
}

/** Milliseconds in which answers that arrive are drawn together. */
const TOGETHER = 40;

export class Store {
  state: State = read(location.hash);
  private waiting = false;
  private soon = false;

  constructor(private readonly draw: () => void) {
    addEventListener("hashchange", () => {
      if (location.hash !== written(this.state)) {
        this.state = read(location.hash);
        this.refresh();
      }
    });
  }

  /** Changes what is selected; a click can be undone with the browser's back, a drag cannot. */
  set(change: Partial<State>, drag = false): void {
    this.state = { ...this.state, ...change };
    const address = written(this.state);
    if (address !== location.hash) history[drag ? "replaceState" : "pushState"](null, "", address);
    this.refresh();
  }

  /** Draws what has arrived: at once if nothing else is on its way, else with what follows soon. */
  arrived(others: number): void {
    if (!others) this.refresh();
    else if (!this.soon) {
      this.soon = true;
      setTimeout(() => ((this.soon = false), this.refresh()), TOGETHER);
    }
  }

  /** Whether no draw is to come. */
  get idle(): boolean {
    return !this.waiting && !this.soon;
  }

  refresh(): void {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.draw();
    });
  }
}
