import type { RunReport } from "../../src/report/report.ts";
import { runPull } from "./pull.ts";

/** Pulls what a search for accounts or persons finds, and writes it into a connection (`runPull`). */
export async function searchPull(raw: unknown): Promise<RunReport> {
  return await runPull("search", raw);
}
