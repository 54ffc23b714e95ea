import { z } from "zod";

import { canonicalJson } from "../../config/hash.ts";
import { rulesOf, type WrittenMapping } from "../../mapping/load.ts";
import type { RecordMapping } from "../../mapping/schema.ts";
import type { Stream } from "../../records/streams.ts";

/** How a mapping differs from an older one, by the paths of fields. */
export type MappingEdit = {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Fields with another rule. */
  readonly changed: readonly string[];
};

const keptText = z.object({ stream: z.custom<Stream>(), record: z.custom<RecordMapping>() });

/** A mapping from its text, as the store keeps it. */
export function mappingOfText(text: string): {
  readonly stream: Stream;
  readonly record: RecordMapping;
} {
  return keptText.parse(JSON.parse(text));
}

function rulesByPath(written: WrittenMapping): ReadonlyMap<string, string> {
  const rules = rulesOf(written) ?? [];
  return new Map(rules.map(({ path, rule }) => [path.join("."), canonicalJson(rule)]));
}

/** How a mapping differs from an older one; undefined if one is a module, which does not say. */
export function mappingEdit(
  before: WrittenMapping,
  after: WrittenMapping,
): MappingEdit | undefined {
  if (before.record === undefined || after.record === undefined) return undefined;
  const [old, now] = [rulesByPath(before), rulesByPath(after)];
  return {
    added: [...now.keys()].filter((path) => !old.has(path)),
    removed: [...old.keys()].filter((path) => !now.has(path)),
    changed: [...now].flatMap(([path, rule]) => {
      const was = old.get(path);
      return was === undefined || was === rule ? [] : [path];
    }),
  };
}
