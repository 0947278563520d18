// Colours: of jobs as in the report (Okabe and Ito, then others), and two scales that all eyes can read.

const JOBS = [
  "#0072b2",
  "#d55e00",
  "#009e73",
  "#cc79a7",
  "#e69f00",
  "#56b4e9",
  "#332288",
  "#882255",
  "#1a5a2a",
  "#7a4b1f",
  "#8c8c00",
  "#8f5fd6",
];
const JOBS_DARK = [
  "#4aa8e0",
  "#ff8a3d",
  "#2cc79b",
  "#e29cc4",
  "#f2bb3f",
  "#8fd0f5",
  "#8f83e8",
  "#d06aa0",
  "#5fb377",
  "#c08a58",
  "#c5c53a",
  "#b795f0",
];

/** magma: from almost black to almost white, of even lightness. */
const MAGMA = ["#000004", "#180f3d", "#440f76", "#721f81", "#9e2f7f", "#cd4071", "#f1605d", "#fd9668", "#feca8d", "#fcfdbf"];
const BLUE = ["#08306b", "#2171b5", "#6baed6"];
const RED = ["#7f2704", "#d94801", "#fdae6b"];

type Rgb = [number, number, number];
const rgb = (hex: string): Rgb => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)) as Rgb;

function scale(stops: Rgb[]): Uint8Array {
  const found = new Uint8Array(256 * 3);
  for (let step = 0; step < 256; step++) {
    const place = (step / 255) * (stops.length - 1);
    const low = Math.min(stops.length - 2, Math.floor(place));
    for (let part = 0; part < 3; part++) {
      const [a, b] = [stops[low]![part]!, stops[low + 1]![part]!];
      found[step * 3 + part] = Math.round(a + (b - a) * (place - low));
    }
  }
  return found;
}

const scheme = matchMedia("(prefers-color-scheme: dark)");
let asked: string | null = null;

export const dark = (): boolean => (asked ?? (scheme.matches ? "dark" : "light")) === "dark";

export function flipTheme(): void {
  asked = dark() ? "light" : "dark";
  document.documentElement.dataset.theme = asked;
}

export function onScheme(act: () => void): void {
  scheme.addEventListener("change", act);
}

export const jobColour = (job: number): string => (dark() ? JOBS_DARK : JOBS)[job % 12]!;

export function ink(name: "ink" | "muted" | "rule" | "paper" | "wash" | "mark"): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

const made = new Map<string, Uint8Array>();

/** 256 colours from nothing (paper) to the most. */
export function sequential(): Uint8Array {
  const key = dark() ? "dark" : "light";
  let found = made.get(key);
  if (!found) {
    const stops = MAGMA.map(rgb);
    found = scale(dark() ? [rgb("#171c22"), ...stops.slice(2)] : [rgb("#ffffff"), ...stops.slice(0, 9).reverse()]);
    made.set(key, found);
  }
  return found;
}

/** 256 colours from less (blue) over equal (paper) to more (orange). */
export function diverging(): Uint8Array {
  const key = dark() ? "both-dark" : "both-light";
  let found = made.get(key);
  if (!found) {
    const middle = rgb(dark() ? "#171c22" : "#ffffff");
    const [blue, red] = [BLUE.map(rgb), RED.map(rgb)];
    const stops = dark()
      ? [blue[2]!, blue[1]!, middle, red[1]!, red[2]!]
      : [...blue, middle, ...red.slice().reverse()];
    found = scale(stops);
    made.set(key, found);
  }
  return found;
}
