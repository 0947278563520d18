// Elements without a framework. Texts are text nodes: no name from a file becomes markup.

export type Child = Node | string | null | undefined | false;

type Props = {
  class?: string;
  title?: string;
  on?: Partial<{ [K in keyof HTMLElementEventMap]: (event: HTMLElementEventMap[K]) => void }>;
  attr?: Record<string, string>;
};

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  if (props.class) element.className = props.class;
  if (props.title) element.title = props.title;
  for (const [name, value] of Object.entries(props.attr ?? {})) element.setAttribute(name, value);
  for (const [name, listener] of Object.entries(props.on ?? {})) {
    element.addEventListener(name, listener as EventListener);
  }
  element.append(...children.filter((each): each is Node | string => each !== null && each !== undefined && each !== false));
  return element;
}

/** Replaces the content of an element if it changes; a signature tells. */
export function fill(element: HTMLElement, signature: string, make: () => Child[]): void {
  if (element.dataset.signature === signature) return;
  element.dataset.signature = signature;
  element.replaceChildren(...make().filter((each): each is Node | string => !!each));
}

export function button(text: string, act: () => void, title = "", kind = ""): HTMLButtonElement {
  return h("button", { class: kind, title, attr: { type: "button" }, on: { click: act } }, text);
}

export function select(
  label: string,
  options: [value: string, text: string][],
  value: string,
  act: (value: string) => void,
): HTMLElement {
  const box = h("select", { attr: { "aria-label": label } });
  for (const [each, text] of options) {
    const option = h("option", {}, text);
    option.value = each;
    option.selected = each === value;
    box.append(option);
  }
  box.addEventListener("change", () => act(box.value));
  return h("label", { class: "choice" }, h("span", {}, label), box);
}

export interface Cell {
  text: string;
  number?: boolean;
  act?: () => void;
  colour?: number;
  strong?: boolean;
  /** A bar of shares, by colour. */
  bar?: number[];
}

function barOf(shares: number[], text: string): HTMLElement {
  const bar = h("span", { class: "bar", title: text, attr: { role: "img", "aria-label": text } });
  shares.forEach((share, job) => {
    const part = h("i", { class: `c${job % 12}` });
    part.style.width = `${share * 100}%`;
    if (share > 0) bar.append(part);
  });
  return bar;
}

export function table(head: string[], rows: (Cell | string)[][], note = ""): HTMLElement {
  const body = rows.map((row) =>
    h(
      "tr",
      {},
      ...row.map((cell) => {
        const given: Cell = typeof cell === "string" ? { text: cell } : cell;
        const inner: Child = given.bar ? barOf(given.bar, given.text) : given.act ? button(given.text, given.act, "", "link") : given.text;
        const dot = given.colour === undefined ? null : h("i", { class: `dot c${given.colour % 12}` });
        return h("td", { class: `${given.number ? "n" : ""}${given.strong ? " strong" : ""}` }, dot, inner);
      }),
    ),
  );
  const heads = head.map((text, at) => {
    const first = rows[0]?.[at];
    return h("th", { class: typeof first === "object" && first.number ? "n" : "", attr: { scope: "col" } }, text);
  });
  return h(
    "div",
    { class: "scroll" },
    h("table", {}, h("thead", {}, h("tr", {}, ...heads)), h("tbody", {}, ...body)),
    note ? h("p", { class: "note" }, note) : null,
  );
}

const tip = h("div", { class: "tip", attr: { role: "status", hidden: "" } });

export function showTip(lines: string[], x: number, y: number): void {
  if (!tip.isConnected) document.body.append(tip);
  tip.replaceChildren(...lines.map((line, at) => h(at ? "div" : "b", {}, line)));
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - box.width - 6))}px`;
  tip.style.top = `${y + 16 + box.height > innerHeight ? Math.max(4, y - box.height - 12) : y + 16}px`;
}

export function hideTip(): void {
  tip.hidden = true;
}

/** A canvas that is as sharp as the screen. */
export class Canvas {
  readonly element = h("canvas");
  readonly pen: CanvasRenderingContext2D;
  width = 0;
  height = 0;

  constructor() {
    const pen = this.element.getContext("2d");
    if (!pen) throw new Error("This browser draws no canvas.");
    this.pen = pen;
  }

  size(width: number, height: number): CanvasRenderingContext2D {
    const ratio = Math.min(3, devicePixelRatio || 1);
    const [w, t] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (this.element.width !== w || this.element.height !== t) {
      this.element.width = w;
      this.element.height = t;
      this.element.style.width = `${width}px`;
      this.element.style.height = `${height}px`;
    }
    [this.width, this.height] = [width, height];
    this.pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.pen.clearRect(0, 0, width, height);
    this.pen.font = '12px system-ui, "Segoe UI", "DejaVu Sans", sans-serif';
    return this.pen;
  }
}

/** The position of a pointer in an element, in CSS pixels. */
export function at(event: MouseEvent, element: HTMLElement): [number, number] {
  const box = element.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
}
