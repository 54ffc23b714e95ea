import { isDeepStrictEqual } from "node:util";

import { isCollection, isMap, isPair, isScalar, isSeq, parseDocument, stringify } from "yaml";
import type { Document, Node, Pair, YAMLMap, YAMLSeq } from "yaml";

import type { Path } from "../config/document/document.ts";
import { isPlainObject } from "../records/json-value.ts";

/** A member that a group in a file is to have, in place of those in `instead`. */
export type WantedMember = {
  /** From the file to an existing group. */
  readonly path: Path;
  readonly member: string;
  readonly value: unknown;
  /** Members of the group that the new one replaces. */
  readonly instead: readonly string[];
};

/**
 * The text of a YAML file with other values in it; comments, blank lines and quotes elsewhere stay as they are.
 * Undefined if that cannot be done without changing something else, for example below an anchor that others refer to.
 */
export function updatedText(text: string, wanted: readonly WantedMember[]): string | undefined {
  const whole = text === "" || text.endsWith("\n") ? text : `${text}\n`;
  const document = parse(whole);
  const editor = new Editor(whole, document);
  const data: unknown = document.toJS();
  for (const one of wanted) {
    const group = document.getIn(one.path);
    if (!isMap<Node, Node>(group)) return undefined;
    editor.setMember(group, one);
    setIn(data, one);
  }
  const updated = editor.text();
  const again = parse(updated);
  const isAsWanted = again.errors.length === 0 && isDeepStrictEqual(again.toJS(), data);
  return isAsWanted ? updated : undefined;
}

function parse(text: string): Document.Parsed {
  return parseDocument(text, { uniqueKeys: false, schema: "core", resolveKnownTags: false });
}

function setIn(data: unknown, { path, member, value, instead }: WantedMember): void {
  let group = data;
  for (const step of path) group = Reflect.get(Object(group), step) as unknown;
  if (!isPlainObject(group)) return;
  for (const name of instead) Reflect.deleteProperty(group, name);
  Reflect.set(group, member, value);
}

type Splice = { readonly from: number; readonly to: number; readonly text: string };

/** Longest value that is written on one line; a longer one is written as a block if possible. */
const lineCharsMax = 90;

class Editor {
  readonly #text: string;
  readonly #document: Document.Parsed;
  readonly #splices: Splice[] = [];

  constructor(text: string, document: Document.Parsed) {
    this.#text = text;
    this.#document = document;
  }

  /** Splices from the end backwards, so that earlier offsets stay valid. */
  text(): string {
    return this.#splices
      .toSorted((a, b) => b.from - a.from)
      .reduce(
        (text, { from, to, text: put }) => text.slice(0, from) + put + text.slice(to),
        this.#text,
      );
  }

  setMember(group: YAMLMap<Node, Node>, { member, value, instead }: WantedMember): void {
    const pair = pairOf(group, member);
    if (pair !== undefined) return this.#set(pair.value, value);
    const old = group.items.find(({ key }) => instead.includes(nameOf(key)));
    if (old === undefined) return this.#addMembers(group, { [member]: value });
    const text = this.#member(member, value, { group, indent: this.#columnOf(group) });
    this.#replace(startOf(old.key), this.#endOf(old), text);
  }

  #set(node: Node | null, wanted: unknown): void {
    if (isDeepStrictEqual(node?.toJS(this.#document), wanted)) return;
    if (isMap<Node, Node>(node) && isPlainObject(wanted) && this.#setMembers(node, wanted)) return;
    if (isSeq<Node>(node) && Array.isArray(wanted) && this.#setItems(node, wanted)) return;
    if (node !== null) this.#replace(startOf(node), this.#endOf(node), yamlLine(wanted));
  }

  /** Returns false if it changed nothing and the group must be written anew. */
  #setMembers(group: YAMLMap<Node, Node>, wanted: Readonly<Record<string, unknown>>): boolean {
    const gone = group.items.filter(({ key }) => !Object.hasOwn(wanted, nameOf(key)));
    const names = new Set(group.items.map(({ key }) => nameOf(key)));
    const added = Object.entries(wanted).filter(([name]) => !names.has(name));
    if (gone.length > 0 && (group.flow === true || gone.length === group.items.length))
      return false;
    if (group.items.length === 0) return false;
    for (const pair of group.items) {
      if (gone.includes(pair)) this.#removeLines(startOf(pair.key), this.#endOf(pair));
      else this.#set(pair.value, wanted[nameOf(pair.key)]);
    }
    if (added.length > 0) this.#addMembers(group, Object.fromEntries(added));
    return true;
  }

  /** Compares items by their order: additions and removals are at the end. */
  #setItems(list: YAMLSeq<Node>, wanted: readonly unknown[]): boolean {
    const { items } = list;
    const [kept, gone] = [items.slice(0, wanted.length), items.slice(wanted.length)];
    if (kept.length === 0 || (list.flow === true && items.length !== wanted.length)) return false;
    for (const [index, item] of kept.entries()) this.#set(item, wanted[index]);
    for (const item of gone) this.#removeLines(startOf(item), this.#endOf(item));
    const indent = this.#column(startOf(list));
    const added = wanted
      .slice(items.length)
      .flatMap((item) => yamlItem(item, indent))
      .map((line) => `${" ".repeat(indent)}${line}\n`);
    this.#insertBehind(this.#endOf(list), added.join(""));
    return true;
  }

  #addMembers(group: YAMLMap<Node, Node>, members: Readonly<Record<string, unknown>>): void {
    const indent = this.#columnOf(group);
    const texts = Object.entries(members).map(([name, value]) =>
      this.#member(name, value, { group, indent }),
    );
    if (group.flow === true) {
      const end = this.#endOf(group.items.at(-1));
      this.#replace(end, end, texts.map((text) => `, ${text}`).join(""));
    } else {
      this.#insertBehind(
        this.#endOf(group),
        texts.map((text) => `${" ".repeat(indent)}${text}\n`).join(""),
      );
    }
  }

  #member(
    name: string,
    value: unknown,
    where: { readonly group: YAMLMap; readonly indent: number },
  ): string {
    const isFlow = where.group.flow === true;
    const lines = isFlow ? [memberLine(name, value)] : memberLines(name, value, where.indent);
    return lines.join(`\n${" ".repeat(where.indent)}`);
  }

  /** Removes whole lines only. An entry that begins after something else stays, and the file is not updated. */
  #removeLines(start: number, end: number): void {
    const from = this.#text.lastIndexOf("\n", start) + 1;
    if (/^[\s-]*$/.test(this.#text.slice(from, start))) this.#replace(from, this.#lineEnd(end), "");
  }

  #insertBehind(end: number, lines: string): void {
    const at = this.#lineEnd(end);
    if (lines !== "") this.#replace(at, at, lines);
  }

  #replace(from: number, to: number, text: string): void {
    this.#splices.push({ from, to, text });
  }

  /** Where the line after the one at an offset begins. */
  #lineEnd(offset: number): number {
    return this.#text.indexOf("\n", offset) + 1;
  }

  #columnOf(group: YAMLMap<Node, Node>): number {
    return this.#column(startOf(group.items[0]?.key));
  }

  #column(offset: number): number {
    return offset - (this.#text.lastIndexOf("\n", offset - 1) + 1);
  }

  /** Where the last written part of a value, or of a pair, ends. */
  #endOf(of: Node | Pair<Node, Node | null> | null | undefined): number {
    if (isPair<Node, Node | null>(of)) return this.#endOf(of.value ?? of.key);
    const isOpen = isCollection(of) && of.flow !== true && of.items.length > 0;
    if (isOpen && isMap<Node, Node>(of)) return this.#endOf(of.items.at(-1));
    if (isOpen && isSeq<Node>(of)) return this.#endOf(of.items.at(-1));
    const end = of?.range?.[1] ?? 0;
    // For a block of text, the range also includes the line ends after it.
    const isBlock = isScalar(of) && (of.type === "BLOCK_FOLDED" || of.type === "BLOCK_LITERAL");
    return isBlock ? this.#text.slice(0, end).trimEnd().length : end;
  }
}

/** A YAML value on one line, valid anywhere in a file. */
export function yamlLine(value: unknown): string {
  const list = stringify([value], { collectionStyle: "flow", lineWidth: 0, blockQuote: false });
  return list.trim().slice(1, -1).trim();
}

function memberLine(name: string, value: unknown): string {
  return `${yamlLine(name)}: ${yamlLine(value)}`;
}

/** A member as a block whose first line is indented already; written on one line if it fits. */
function memberLines(name: string, value: unknown, indent: number): readonly string[] {
  const line = memberLine(name, value);
  const isList = Array.isArray(value) && value.some(isPlainObject);
  if (!isList && indent + line.length <= lineCharsMax) return [line];
  const inner = Array.isArray(value)
    ? value.flatMap((item: unknown) => yamlItem(item, indent + 2))
    : membersLines(value, indent + 2);
  return inner.length === 0 ? [line] : [`${yamlLine(name)}:`, ...inner.map((each) => `  ${each}`)];
}

function membersLines(value: unknown, indent: number): readonly string[] {
  if (!isPlainObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => memberLines(name, member, indent));
}

/** An item of a list as a block: the first line begins with its dash. `indent`: columns before it. */
export function yamlItem(item: unknown, indent: number): readonly string[] {
  const members = membersLines(item, indent + 2);
  const lines = members.length === 0 ? [yamlLine(item)] : members;
  return lines.map((line, at) => `${at === 0 ? "- " : "  "}${line}`);
}

function pairOf(group: YAMLMap<Node, Node>, member: string): Pair<Node, Node> | undefined {
  return group.items.find(({ key }) => nameOf(key) === member);
}

function nameOf(key: Node): string {
  return isScalar(key) ? String(key.value) : "";
}

function startOf(node: Node | undefined): number {
  return node?.range?.[0] ?? 0;
}
