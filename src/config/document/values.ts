import { isAlias, isMap, isNode, isScalar, isSeq } from "yaml";
import type { Document, Node, Pair, Scalar } from "yaml";

import { configDepthMax, configValuesMax } from "../limits.ts";
import type { Problem } from "../messages/problems.ts";
import { nameOnly } from "../messages/shown-text.ts";
import { interpolate, referencesIn } from "./interpolate.ts";
import type { Variables } from "./interpolate.ts";

/** The message for a document that nests too deeply. */
export const nestedTooDeeply = `nested more than ${String(configDepthMax)} levels deep`;

/** The plain data of a YAML document. */
export type Values = {
  readonly data: unknown;
  readonly problems: readonly Problem[];
  /** Values with a known problem: any other fault in them follows from it. */
  readonly known: ReadonlySet<Node>;
};

/**
 * Reads the data of a document that was parsed with string keys, and fills in variables. The walk is our own, because
 * it bounds how far aliases grow, finds every mistake, and says where each one is.
 */
export function readValues(source: {
  readonly document: Document.Parsed;
  /** The target of each alias. */
  readonly targets: ReadonlyMap<Node, Node>;
  readonly text: string;
  /** Undefined: texts stay as they are written. */
  readonly variables: Variables | undefined;
}): Values {
  const walk = new Walk(source);
  return {
    data: walk.read(source.document.contents, 0),
    problems: walk.problems,
    known: walk.known,
  };
}

/** Whether a number is no longer the one that is written: too large for its last digits, or with zeros before it. */
function losesDigits({ value, source = "" }: Scalar): boolean {
  if (typeof value !== "number") return false;
  if (/^[-+]?0\d/.test(source)) return true;
  // `.inf` and `.nan` have no digits to lose.
  return /\d/.test(source) && Math.abs(value) > Number.MAX_SAFE_INTEGER;
}

function hereTwice(name: string): string {
  return nameOnly(name) === name ? `"${name}" is here twice` : "this name is here twice";
}

class Walk {
  readonly problems: Problem[] = [];
  readonly known = new Set<Node>();
  readonly #source: Parameters<typeof readValues>[0];
  #values = 0;

  constructor(source: Parameters<typeof readValues>[0]) {
    this.#source = source;
  }

  read(node: unknown, depth: number): unknown {
    if (!isNode(node)) return null;
    this.#values += 1;
    if (this.#values > configValuesMax) return this.#stop(node);
    if (isScalar(node)) return this.#readScalar(node);
    if (depth > configDepthMax) return this.#refuse(node, nestedTooDeeply);
    if (isSeq(node)) return node.items.map((item) => this.read(item, depth + 1));
    if (isMap(node)) return this.#readMembers(node.items, depth);
    if (!isAlias(node)) return null;
    const target = this.#source.targets.get(node);
    if (target !== undefined) return this.read(target, depth + 1);
    return this.#refuse(
      node,
      "no value before this has this mark: a text that begins with * needs quotes",
    );
  }

  #readMembers(pairs: readonly Pair[], depth: number): Record<string, unknown> {
    const members: Record<string, unknown> = {};
    for (const { key, value } of pairs) {
      if (!isScalar(key)) continue;
      const name = String(key.value);
      if (name === "__proto__") this.#refuse(key, '"__proto__" cannot be a name');
      else if (Object.hasOwn(members, name)) this.#refuse(key, hereTwice(name));
      else members[name] = this.read(value, depth + 1);
    }
    return members;
  }

  #readScalar(node: Scalar): unknown {
    if (typeof node.value === "string") return this.#fill(node);
    // Without variables it is a file of tests, in which a cell is the text that is written.
    if (this.#source.variables !== undefined && losesDigits(node)) {
      this.#refuse(node, "would lose digits as a number: write it in quotes");
    }
    return node.value; // also a refused one: nobody is to hear that it is missing
  }

  #fill(node: Scalar): string {
    const { text, variables } = this.#source;
    if (variables === undefined) return String(node.value);
    const filled = interpolate(String(node.value), variables);
    const [start, end] = node.range ?? [0, 0];
    // The source has the references in the same order as the value; only quotes, indents and escapes differ.
    const places = referencesIn(text.slice(start, end));
    const problems = filled.mistakes.map(({ ordinal, message }) => ({
      offset: start + (places[ordinal] ?? 0),
      message,
    }));
    if (problems.length > 0) this.#tell(node, problems);
    return filled.text;
  }

  #refuse(node: Node, message: string): undefined {
    this.#tell(node, [{ offset: node.range?.[0] ?? 0, message }]);
  }

  /** One problem is enough for all values beyond the limit. */
  #stop(node: Node): undefined {
    if (this.#values > configValuesMax + 1) this.known.add(node);
    else this.#refuse(node, `more than ${String(configValuesMax)} values`);
  }

  /** A value that several aliases repeat is read several times, but its mistakes are reported once. */
  #tell(node: Node, problems: readonly Problem[]): void {
    if (!this.known.has(node)) this.problems.push(...problems);
    this.known.add(node);
  }
}
