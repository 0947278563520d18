// A view: its title, its main finding as text, the table behind it as CSV, its SQL and its permalink.

import type { App } from "./app";
import { button, h } from "./dom";

export interface Rows {
  columns: string[];
  rows: (string | number | null)[][];
}

const quoted = (value: string | number | null): string => {
  const text = value === null || (typeof value === "number" && Number.isNaN(value)) ? "" : String(value);
  // A text that a spreadsheet would take for a formula starts with an apostrophe.
  const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

export const csv = (rows: Rows): string =>
  [rows.columns, ...rows.rows].map((row) => row.map(quoted).join(",")).join("\r\n") + "\r\n";

export abstract class Panel {
  readonly element: HTMLElement;
  readonly body = h("div", { class: "body" });
  protected readonly tools = h("div", { class: "tools" });
  private readonly said = h("p", { class: "say" });
  private readonly code = h("pre", { attr: { hidden: "", tabindex: "0" } });
  private readonly heading: HTMLHeadingElement;

  constructor(
    protected readonly app: App,
    readonly id: string,
    title: string,
  ) {
    this.heading = h("h2", {}, title);
    const data = h(
      "div",
      { class: "data" },
      button("CSV", () => this.save(), "Save the table behind this view"),
      button("SQL", () => this.showSql(), "Show the query behind this view, for DuckDB"),
      button("Link", () => this.copyLink(), "Copy the address of this view"),
    );
    this.element = h(
      "section",
      { class: `panel ${id}`, attr: { id, "aria-label": title } },
      h("header", {}, this.heading, this.tools, data),
      this.said,
      this.code,
      this.body,
    );
  }

  /** Draws what is selected. */
  abstract draw(): void;
  /** The table behind the view. */
  abstract rows(): Rows;
  /** The query of the table. */
  abstract sql(): string;

  /** The height of the sentence now; `keep` holds the greatest, so that the views below stay where they are. */
  get height(): number {
    return this.said.offsetHeight;
  }

  keep(height: number): void {
    this.said.style.minHeight = height ? `${height}px` : "";
  }

  protected title(text: string): void {
    if (this.heading.textContent !== text) this.heading.textContent = text;
  }

  protected say(text: string): void {
    if (this.said.textContent !== text) this.said.textContent = text;
  }

  /** Says that a table is on its way, missing, or damaged; whether the view has nothing to draw. */
  protected lacks(found: { rows: number; remedy: string } | Error | null, what: string): boolean {
    let text = "";
    if (found === null) text = "Reading the tables …";
    else if (found instanceof Error) text = found.message;
    else if (found.rows === 0 && found.remedy) text = `No ${what}. ${found.remedy}`;
    else if (found.rows === 0) text = `The run has no ${what}.`;
    this.body.hidden = text !== "";
    if (text) this.say(text);
    return text !== "";
  }

  private save(): void {
    const anchor = h("a", { attr: { download: `${this.app.data.subject.name.replaceAll("/", "-")}-${this.id}.csv` } });
    anchor.href = URL.createObjectURL(new Blob([csv(this.rows())], { type: "text/csv" }));
    anchor.click();
    setTimeout(() => URL.revokeObjectURL(anchor.href), 10_000);
  }

  private showSql(): void {
    this.code.hidden = !this.code.hidden;
    this.refreshSql();
  }

  refreshSql(): void {
    if (!this.code.hidden) this.code.textContent = this.sql();
  }

  private copyLink(): void {
    this.app.store.set({ view: this.id });
    const address = location.href;
    navigator.clipboard?.writeText(address).then(
      () => this.app.announce("The address of this view is copied."),
      () => this.app.announce("The address of this view is in the address bar."),
    );
    if (!navigator.clipboard) this.app.announce("The address of this view is in the address bar.");
  }
}
