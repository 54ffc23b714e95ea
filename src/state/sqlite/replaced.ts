import { statSync } from "node:fs";

import { ConfigError } from "../../errors.ts";
import { beatsKeepSchemaMs } from "../limits.ts";

/**
 * Makes what tells whether a file that was just opened has been removed since, or another is in its place: whoever has
 * it open reads and writes what nobody else sees.
 */
export function createIsReplaced(file: string): () => boolean {
  const { ino } = statSync(file);
  return () => statSync(file, { throwIfNoEntry: false })?.ino !== ino;
}

/** The methods of a store, none of which is to be had any more once its file was replaced. */
export function untilReplaced<Methods extends object>(methods: Methods, file: string): Methods {
  const isReplaced = createIsReplaced(file);
  return new Proxy(methods, {
    get: (target, name): unknown => {
      if (!isReplaced()) return Reflect.get(target, name);
      // A worker ends with its next beat; what it took meanwhile is for the next one.
      throw new ConfigError(`${file} was removed or replaced while this process worked with it`, {
        field: "store",
        hint: "stop this process, and start it again",
        retryBudgetMs: beatsKeepSchemaMs,
      });
    },
  });
}
