import type { RunReport } from "../../src/report/report.ts";
import { runPull } from "./pull.ts";

/** Pulls the job postings of companies whose domains a connection holds, and writes them into one (`runPull`). */
export async function jobPostingsPull(raw: unknown): Promise<RunReport> {
  return await runPull("domains", raw);
}
