import { plainText } from "../../text/plain-text.ts";

/** A piece of a page: text that was escaped, or that we wrote. */
export class Html {
  readonly text: string;

  /** @param text is not escaped: it must be ours. */
  constructor(text: string) {
    this.text = text;
  }
}

/** A value in a template: everything but `Html` is escaped. */
export type HtmlValue = Html | number | string | undefined | readonly HtmlValue[];

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text for an element or a quoted attribute, without characters that would change the reading direction. */
function escaped(text: string): string {
  return plainText(text).replaceAll(/[&<>"']/g, (character) => escapes[character] ?? "");
}

function textOf(value: HtmlValue): string {
  if (value === undefined) return "";
  if (value instanceof Html) return value.text;
  if (typeof value === "object") return value.map(textOf).join("");
  return escaped(String(value));
}

/** A piece of a page. Every value in it is escaped, unless it is itself a piece of a page; lists are joined. */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return new Html(parts.map((part, at) => part + textOf(values[at])).join(""));
}

/** A text about commands, such as "interrupted → `sluice run a`", with the commands marked as code. */
export function withCode(text: string): Html {
  const pieces = text.split("`");
  const isCode = (at: number): boolean => at % 2 === 1 && at < pieces.length - 1;
  return html`${pieces.map((piece, at) => (isCode(at) ? html`<code>${piece}</code>` : piece))}`;
}

/** The path of one of our pages with its query; members that are undefined or empty are left out. */
export function linkTo(
  path: string,
  asked: Readonly<Record<string, string | undefined>> = {},
): string {
  const members = Object.entries(asked).filter(
    (member): member is [string, string] => (member[1] ?? "") !== "",
  );
  return members.length === 0 ? path : `${path}?${new URLSearchParams(members).toString()}`;
}
