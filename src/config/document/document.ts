import { isAlias, isMap, isScalar, isSeq, parseDocument, visit } from "yaml";
import type { Document, Node } from "yaml";

import type { Problem } from "../messages/problems.ts";
import { strikeOutSecrets } from "../messages/shown-text.ts";
import type { Variables } from "./interpolate.ts";
import { nestedTooDeeply, readValues } from "./values.ts";
import type { Values } from "./values.ts";

/** Names and indices that lead to a value: `["syncs", "accounts", "mode"]`. */
export type Path = readonly PropertyKey[];

/** A YAML file as data, with the place where each value is written. */
export type ConfigDocument = {
  /** Plain data with variables filled in; undefined when the syntax is broken. */
  readonly data: unknown;
  readonly problems: readonly Problem[];
  /** False when the syntax is broken. */
  readonly isReadable: boolean;
  /** The text with literal secrets struck out. */
  readonly shownText: string;
  /**
   * The offset of a value, or of its name; for a missing value, the offset of the nearest group around it. Undefined
   * when a problem of that value is already known.
   */
  offsetOf(path: Path, on: "name" | "value"): number | undefined;
  /** The text at a path as it is written, before variables are filled in. */
  writtenAt(path: Path): string | undefined;
};

/**
 * Reads YAML as data. Never throws because of the text: its faults are in `problems`. Without variables `${` is plain
 * text.
 */
export function parseConfigDocument(text: string, variables?: Variables): ConfigDocument {
  const document = parseDocument(text, {
    // The walk finds repeated names itself: yaml compares every pair of names, which takes seconds for many.
    uniqueKeys: false,
    stringKeys: true,
    prettyErrors: false,
    // A %YAML 1.1 line must not bring dates, binaries and merge keys back.
    schema: "core",
    resolveKnownTags: false,
  });
  const targets = aliasTargets(document);
  const isReadable = document.errors.length === 0;
  const nothing: Values = { data: undefined, problems: [], known: new Set() };
  const values = isReadable ? readValues({ document, targets, text, variables }) : nothing;
  /** The place at a path; when the path breaks off, the place of its last existing step. */
  const follow = (path: Path): Place => {
    let place: Place = { value: document.contents ?? undefined, isWhole: true };
    for (const step of path) {
      const next = place.value && childOf(targets.get(place.value) ?? place.value, step);
      if (next === undefined) return { ...place, isWhole: false };
      place = next;
    }
    return place;
  };
  return {
    data: values.data,
    problems: [...syntaxProblems(document), ...values.problems],
    isReadable,
    shownText: strikeOutSecrets(document, text),
    offsetOf: (path, on) => {
      const { name, value } = follow(path);
      if (value !== undefined && values.known.has(targets.get(value) ?? value)) return undefined;
      // A group begins at its first member, an empty value after its colon: their names are the better places.
      const isShown = name === undefined || (on === "value" && isWritten(value));
      return (isShown ? value : name)?.range?.[0] ?? 0;
    },
    writtenAt: (path) => {
      const { value, isWhole } = follow(path);
      const written = value && (targets.get(value) ?? value);
      return isWhole && isScalar(written) ? written.source : undefined;
    },
  };
}

function syntaxProblems(document: Document.Parsed): readonly Problem[] {
  const faults = [...document.errors, ...document.warnings];
  const tooDeep = faults.find((fault) => fault.code === "RESOURCE_EXHAUSTION");
  if (tooDeep !== undefined) return [{ offset: tooDeep.pos[0], message: nestedTooDeeply }];
  return faults.map(({ pos, code, message }) => {
    // What follows a colon is the text at fault, which may be a secret.
    const said = message.replace(/(?<=\S): .*/s, "");
    const words = ownWords.get(code) ?? said.charAt(0).toLowerCase() + said.slice(1);
    return { offset: pos[0], message: words };
  });
}

const ownWords: ReadonlyMap<string, string> = new Map([
  ["MULTIPLE_DOCS", "a second document begins here; only one may be in the file"],
  ["NON_STRING_KEY", "a name must be plain text"],
  ["TAG_RESOLVE_FAILED", "a text that begins with ! needs quotes"],
  ["BAD_DQ_ESCAPE", "a plain backslash in double quotes is written twice"],
  [
    "MULTILINE_IMPLICIT_KEY",
    "here is no `name: value`: the blank after a colon is missing, or a line has the wrong indentation",
  ],
]);

type Place = {
  readonly name?: Node | undefined;
  readonly value?: Node | undefined;
  readonly isWhole: boolean;
};

/** The target of each alias, found in one pass: yaml's own `resolve` scans the whole document for every alias. */
function aliasTargets(document: Document.Parsed): ReadonlyMap<Node, Node> {
  const marked = new Map<string, Node>();
  const targets = new Map<Node, Node>();
  visit(document, {
    Node: (_, node) => {
      if (isAlias(node)) {
        const target = marked.get(node.source);
        if (target !== undefined) targets.set(node, target);
      } else if (node.anchor !== undefined) marked.set(node.anchor, node);
    },
  });
  return targets;
}

function childOf(group: Node, step: PropertyKey): Place | undefined {
  if (isSeq<Node>(group)) {
    const item = group.items[Number(step)];
    return item && { value: item, isWhole: true };
  }
  if (!isMap<Node, Node | null>(group)) return undefined;
  const pair = group.items.find(({ key }) => isScalar(key) && key.value === step);
  return pair && { name: pair.key, value: pair.value ?? undefined, isWhole: true };
}

function isWritten(node: Node | undefined): boolean {
  return isAlias(node) || (isScalar(node) && (node.value !== null || node.source !== ""));
}
