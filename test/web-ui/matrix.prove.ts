import { appendFile } from "node:fs/promises";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { World } from "../support/temporal/world.ts";
import { groups, sampled, type Cell } from "./matrix.ts";
import { tryAction } from "./trial.ts";

/** The file in which `npm run prove -- --only web-ui` reads the result of each cell. */
const file = process.env["SLUICE_WEB_UI"];

const atOnce = 3;
const timeoutMs = 900_000;

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(async () => await world.close());

/** Tries a cell, and returns the violations. */
async function tried(cell: Cell): Promise<readonly string[]> {
  const { kind, phase, action } = cell;
  const { told = null, violations } = await tryAction(world, cell);
  const line = { kind: kind.name, phase, action: action.name, told, violations };
  if (file !== undefined) await appendFile(file, `${JSON.stringify(line)}\n`);
  return violations.map((violation) => `${action.name}: ${violation}`);
}

describe("what the Web UI offers", () => {
  it.each(file === undefined ? sampled : groups)(
    "loses nothing, keeps nothing older and leaves nothing hanging: $title",
    async ({ cells }) => {
      const left = [...cells];
      const wrong: string[] = [];
      const work = async (): Promise<void> => {
        for (let cell = left.shift(); cell !== undefined; cell = left.shift()) {
          wrong.push(...(await tried(cell)));
        }
      };
      await Promise.all(Array.from({ length: atOnce }, work));
      expect(wrong).toEqual([]);
    },
    timeoutMs,
  );
});
