import { styleText } from "node:util";

/** When text is coloured. `auto`: if stdout is a terminal, as NO_COLOR and FORCE_COLOR say. */
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

/** The styles of outcomes: good, in need of a look, bad. An outcome that is not here has no colour. */
const outcomeStyles: ReadonlyMap<string, Style> = new Map([
  ["done", "green"],
  ["done_with_rejects", "yellow"],
  ["cancelled", "yellow"],
  ["held", "yellow"],
  ["credits_exhausted", "yellow"],
  ["failed", "red"],
  ["abandoned", "red"],
]);

/** An outcome, or a text with it, in its colour. Spaces may separate its words. */
export function styledOutcome(outcome: string, text = outcome): string {
  const style = outcomeStyles.get(outcome.replaceAll(" ", "_"));
  return style === undefined ? text : styled(style, text);
}

/** `note`, at the beginning of a check's line about something neither right nor wrong. */
export function noteMark(): string {
  return styled("bold", "note");
}

/** A value that a test expects but does not get. */
export function expectedMark(text: string): string {
  return styled("red", text);
}

/** The value that it gets instead. */
export function givenMark(text: string): string {
  return styled("green", text);
}

/** `ok  ` or `FAIL`, at the beginning of a check's line. */
export function okOrFail(isOk: boolean): string {
  return isOk ? styled("green", "ok  ") : styled(["bold", "red"], "FAIL");
}
