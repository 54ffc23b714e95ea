import { styleText } from "node:util";

/** When text is coloured. `auto`: where stdout is a terminal, as NO_COLOR and FORCE_COLOR say. */
export const colorModes = ["auto", "always", "never"] as const;

/** One of `colorModes`. */
export type ColorMode = (typeof colorModes)[number];

type Style = "bold" | "green" | "red" | "yellow";

let mode: ColorMode = "auto";

/** Sets when this process colours what it prints. */
export function setColor(wanted: ColorMode): void {
  mode = wanted;
}

/** Text in a style where colours are wanted. */
function styled(style: Style | readonly Style[], text: string): string {
  if (mode === "never") return text;
  const how = mode === "always" ? { validateStream: false } : { stream: process.stdout };
  return styleText([style].flat(), text, how);
}

/** Emphasis where colours are wanted. */
export function bold(text: string): string {
  return styled("bold", text);
}

/** How outcomes look: good, in need of a look, bad. One that is not here has no colour. */
const outcomeStyles: ReadonlyMap<string, Style> = new Map([
  ["done", "green"],
  ["done_with_rejects", "yellow"],
  ["cancelled", "yellow"],
  ["held", "yellow"],
  ["credits_exhausted", "yellow"],
  ["failed", "red"],
  ["abandoned", "red"],
]);

/** An outcome, or a text with it, in its colour; its words may be set apart by spaces. */
export function styledOutcome(outcome: string, text = outcome): string {
  const style = outcomeStyles.get(outcome.replaceAll(" ", "_"));
  return style === undefined ? text : styled(style, text);
}

/** `note`, as a line of a check begins that says what is neither right nor wrong. */
export function noteMark(): string {
  return styled("bold", "note");
}

/** What a test expects and does not get. */
export function expectedMark(text: string): string {
  return styled("red", text);
}

/** What there is instead. */
export function givenMark(text: string): string {
  return styled("green", text);
}

/** `ok  ` or `FAIL`, as the lines of a check begin. */
export function okOrFail(isOk: boolean): string {
  return isOk ? styled("green", "ok  ") : styled(["bold", "red"], "FAIL");
}
