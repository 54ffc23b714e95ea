import type { RunReport } from "../../src/report/report.ts";
import { runPull } from "./pull.ts";

/** Pulls the results of a search for accounts or persons, and writes them into a connection (`runPull`). */
export async function searchPull(raw: unknown): Promise<RunReport> {
  return await runPull("search", raw);
}
