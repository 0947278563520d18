// The tables and facts of the page: from the server, or from the elements of a self-contained page.

export type Column = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float32Array | Float64Array;

export interface Facts {
  title: string;
  name: string;
  dir: string;
  packed: boolean;
  version: string;
  complete: boolean;
  jobs: string[];
  simulated_ns: number;
  topology: { p: number | null; a: number | null; h: number | null; g: number | null };
  routing: string | null;
  seed: number | null;
  /** The window of the records, which that of links may exceed. */
  record_window_ns: number;
  window_ns: number | null;
  windows: number;
  joined: number;
  /** The table with the time inside MPI calls. */
  calls: string | null;
  /** Start and end of each span of skipped time. */
  skipped: [number, number][];
  missing: Record<string, string>;
  faults: string[];
}

export interface HotLink {
  link: number;
  class: string;
  utilization: number;
  peak_utilization: number | null;
  peak_start_ns: number | null;
  stall_share: number | null;
  name: string;
}

export type Row = Record<string, string | number | null>;

/** A sentence of the report, and the state of the page that shows what it says. */
export interface Sentence {
  text: string;
  place: string;
}

export interface Words {
  finding: Sentence[];
  caveats: string[];
  warnings: string[];
  hottest: HotLink[];
  /** Start, end, time of windows (null if skipped time counts) and window of the hottest links. */
  hottest_span: [number, number, number | null, number | null] | [];
  hottest_when: string;
  slowdown: Row[];
  causes: Sentence[];
  faults: string[];
}

export interface CaseRow {
  case: number;
  part: string;
  job: string;
  run: number | null;
  axes: string[];
  values: (number | null)[];
}

export interface Subject {
  version: string;
  name: string;
  path: string;
  runs: string[];
  grid: { axes: string[]; metrics: string[]; labels: string[]; rows: CaseRow[] } | null;
  queries: Record<string, string>;
  /** Where the report is: a folder of the server, or a file beside the page. */
  report: string;
  facts?: Facts[];
  words?: Words[];
  left_out?: string[];
}

interface Head {
  rows: number;
  facts: Record<string, unknown>;
  columns: { name: string; type?: string; at?: number; texts?: string[] }[];
}

const ARRAYS: Record<string, new (b: ArrayBuffer, at: number, n: number) => Column> = {
  u1: Uint8Array,
  u2: Uint16Array,
  u4: Uint32Array,
  i4: Int32Array,
  f4: Float32Array,
  f8: Float64Array,
};

/** A table of columns. */
export class Table {
  readonly rows: number;
  readonly facts: Record<string, unknown>;
  private readonly numbers = new Map<string, Column>();
  private readonly texts = new Map<string, string[]>();

  constructor(buffer: ArrayBuffer) {
    const length = new DataView(buffer).getUint32(0, true);
    const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length))) as Head;
    this.rows = head.rows;
    this.facts = head.facts;
    for (const column of head.columns) {
      if (column.texts) this.texts.set(column.name, column.texts);
      else {
        const form = ARRAYS[column.type ?? ""];
        if (!form) throw new Error(`The table has a column of type ${column.type}, which this page cannot read.`);
        this.numbers.set(column.name, new form(buffer, 4 + length + (column.at ?? 0), head.rows));
      }
    }
  }

  num(name: string): Column {
    const found = this.numbers.get(name);
    if (!found) throw new Error(`The table has no column ${name}.`);
    return found;
  }

  text(name: string): string[] {
    return this.texts.get(name) ?? [];
  }

  /** The sentence on a table without rows: what records it. */
  get remedy(): string {
    return typeof this.facts.remedy === "string" ? this.facts.remedy : "";
  }

  /** The names of the link classes that a column `class` numbers. */
  get classes(): string[] {
    return (this.facts.classes as string[] | undefined) ?? [];
  }
}

const base = location.pathname.endsWith("/") ? location.pathname : `${location.pathname}/`;
const inside = document.getElementById("subject");

/** Whether the data is in the page, which then has no server. */
export const embedded = inside !== null;

async function asked(path: string): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(base + path);
  } catch {
    throw new Error("The server of pantala explore does not answer. Start it again and open its new address.");
  }
  if (!response.ok) throw new Error(await response.text());
  return response;
}

async function unzipped(text: string): Promise<ArrayBuffer> {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let at = 0; at < raw.length; at++) bytes[at] = raw.charCodeAt(at);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

async function tableOf(path: string): Promise<Table> {
  if (!embedded) return new Table(await (await asked(`data/${path}`)).arrayBuffer());
  const element = document.querySelector(`script[data-name="${path}"]`);
  if (!element) {
    throw new Error("This page leaves these data out. pantala explore on the run directory has them.");
  }
  return new Table(await unzipped(element.textContent ?? ""));
}

/** What was asked for: a value, a fault in a sentence, or nothing yet. */
class Cache<T> {
  private readonly found = new Map<string, T | Error | null>();
  /** How many answers are on their way, of all caches. */
  static waiting = 0;

  constructor(
    private readonly load: (path: string) => Promise<T>,
    private readonly arrived: (waiting: number) => void,
  ) {}

  get(path: string): T | Error | null {
    const known = this.found.get(path);
    if (known !== undefined) return known;
    this.found.set(path, null);
    Cache.waiting += 1;
    this.load(path)
      .catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))))
      .then((value) => {
        this.found.set(path, value);
        Cache.waiting -= 1;
        this.arrived(Cache.waiting);
      });
    return null;
  }
}

export class Data {
  readonly subject: Subject;
  private readonly tables: Cache<Table>;
  private readonly factsOf: Cache<Facts>;
  private readonly wordsOf: Cache<Words>;

  private constructor(subject: Subject, arrived: (waiting: number) => void) {
    this.subject = subject;
    this.tables = new Cache(tableOf, arrived);
    this.factsOf = new Cache(async (n) => subject.facts?.[+n] ?? (await asked(`facts/${n}`)).json(), arrived);
    this.wordsOf = new Cache(async (n) => subject.words?.[+n] ?? (await asked(`words/${n}`)).json(), arrived);
  }

  static open(arrived: (waiting: number) => void): Data {
    const given = inside ?? document.getElementById("known");
    return new Data(JSON.parse(given?.textContent ?? "") as Subject, arrived);
  }

  /** How many answers are on their way. */
  get waiting(): number {
    return Cache.waiting;
  }

  table(run: number, name: string, argument?: number): Table | Error | null {
    return this.tables.get(argument === undefined ? `${run}/${name}` : `${run}/${name}/${argument}`);
  }

  /** Facts that came with the page are there at once. */
  facts(run: number): Facts | Error | null {
    const given = this.subject.facts?.[run];
    if (given) return given;
    return this.factsOf.get(String(run));
  }

  words(run: number): Words | Error | null {
    return this.wordsOf.get(String(run));
  }
}
