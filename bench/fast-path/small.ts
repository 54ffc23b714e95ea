import { mkdir } from "node:fs/promises";
import { join } from "node:path";

import { makeRows } from "../workloads/accounts.ts";
import { bestInTurn, type Took } from "./best.ts";
import type { Figures, PartInput } from "./part.ts";
import { ServedProject } from "./served-project.ts";
import type { Figure } from "./verdicts.ts";

/** A small night: so few rows that a run takes only its own start and end. */
export const smallRows = 295;

/** Writes them into a folder of their own; returns the path. */
export async function makeSmallRows(parent: string): Promise<string> {
  const folder = join(parent, "small");
  await mkdir(folder);
  return await makeRows(folder, smallRows);
}

const wall = ({ seconds, cpuSeconds }: Took): Figure => ({
  value: seconds,
  from: `${cpuSeconds.toFixed(2)} CPU s of the command`,
});

/** `sluice run` with few rows, with only Temporal up and then with a worker up, too. */
export async function measureSmall({ folder, rounds }: PartInput): Promise<Figures> {
  const csv = await makeSmallRows(folder);
  const project = await ServedProject.open(join(folder, "project"), {
    small: { csv, send: "all" },
  });
  const wanted = { rows: smallRows, sent: smallRows };
  const run = async (): Promise<Took> => await project.run("small", wanted);
  try {
    const alone = await bestInTurn({ "Temporal up": run }, { rounds, warmUp: true });
    project.startWorker();
    const left = await bestInTurn({ "a worker up": run }, { rounds, warmUp: true });
    return {
      smallRunTemporalUp: wall(alone("Temporal up")),
      smallRunWorkerUp: wall(left("a worker up")),
    };
  } finally {
    await project.close();
  }
}
