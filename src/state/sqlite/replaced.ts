import { statSync } from "node:fs";

import { ConfigError } from "../../errors.ts";
import { beatsKeepSchemaMs } from "../limits.ts";

/**
 * Makes a function that returns whether a file that was just opened has since been removed or replaced: whoever has it
 * open then reads and writes what nobody else sees.
 */
export function createIsReplaced(file: string): () => boolean {
  const { ino } = statSync(file);
  return () => statSync(file, { throwIfNoEntry: false })?.ino !== ino;
}

/** The methods of a store; getting any of them throws once the file was removed or replaced. */
export function untilReplaced<Methods extends object>(methods: Methods, file: string): Methods {
  const isReplaced = createIsReplaced(file);
  return new Proxy(methods, {
    get: (target, name): unknown => {
      if (!isReplaced()) return Reflect.get(target, name);
      // A worker ends with its next beat; work that it took meanwhile is left to the next one.
      throw new ConfigError(`${file} was removed or replaced while this process worked with it`, {
        field: "store",
        hint: "stop this process, and start it again",
        retryBudgetMs: beatsKeepSchemaMs,
      });
    },
  });
}
