import { appendFileSync, existsSync, readFileSync } from "node:fs";

import { z } from "zod";

const line = z.union([
  z.object({ begun: z.string() }),
  z.object({ completed: z.string(), result: z.unknown() }),
  // An activity that has no progress yet, and takes long on a slow machine, still reports that it is alive.
  z.object({ heartbeat: z.string(), details: z.unknown().optional() }),
  z.object({ effect: z.string() }),
]);

/** The content of a journal so far. */
export type Told = {
  /** Activities that completed -> their results. */
  readonly results: ReadonlyMap<string, unknown>;
  /** Activities in the order in which they began, each attempt. */
  readonly begun: readonly string[];
  /** Activities -> the details of their last heartbeat. */
  readonly heartbeats: ReadonlyMap<string, unknown>;
  /** Names of the effects, in order. */
  readonly effects: readonly string[];
};

/**
 * What Temporal would know of a run: the activities that began, their heartbeats, and the results of those that
 * completed; and for the tests the effects in between. It is a file that is written before anything continues, so that
 * it survives the process.
 */
export class Journal {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  add(entry: z.input<typeof line>): void {
    appendFileSync(this.#path, `${JSON.stringify(entry)}\n`);
  }

  /** Everything, as text. */
  text(): string {
    return existsSync(this.#path) ? readFileSync(this.#path, "utf8") : "";
  }

  read(): Told {
    const [results, heartbeats] = [new Map<string, unknown>(), new Map<string, unknown>()];
    const [begun, effects]: [string[], string[]] = [[], []];
    for (const text of this.text().split("\n").slice(0, -1)) {
      const entry = line.parse(JSON.parse(text));
      if ("begun" in entry) begun.push(entry.begun);
      else if ("heartbeat" in entry) heartbeats.set(entry.heartbeat, entry.details);
      else if ("effect" in entry) effects.push(entry.effect);
      else results.set(entry.completed, entry.result);
    }
    return { results, begun, heartbeats, effects };
  }
}
