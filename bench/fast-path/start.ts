import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { bin } from "../built.ts";
import { run } from "../child.ts";
import { makeRows } from "../workloads/accounts.ts";
import { bestInTurn, ratioOf, type Took } from "./best.ts";
import type { Figures, PartInput } from "./part.ts";
import { projectConfig } from "./served-project.ts";

/** How long commands that only read take, compared with Node's own start. */
export async function measureStart({ folder, rows, rounds }: PartInput): Promise<Figures> {
  const csv = await makeRows(folder, rows);
  const config = projectConfig({ baseUrl: "sandbox", syncs: { accounts: { csv, send: "all" } } });
  await writeFile(join(folder, "sluice.yaml"), config);
  const node =
    (...args: readonly string[]) =>
    async (): Promise<Took> => {
      const ended = await run(args, folder);
      if (ended.code !== 0) throw new Error(`node ${args.join(" ")} ended with ${ended.code}`);
      return ended;
    };
  const programs = {
    "node -e 0": node("-e", "0"),
    "--help": node(bin, "--help"),
    validate: node(bin, "validate"),
  };
  const best = await bestInTurn(programs, { rounds, warmUp: true });
  return {
    helpBesideNode: ratioOf(best("--help"), best("node -e 0"), "seconds"),
    validateBesideNode: ratioOf(best("validate"), best("node -e 0"), "seconds"),
  };
}
