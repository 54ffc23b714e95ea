import { expect } from "vitest";

import { exitCodes } from "../../src/cli/output/exit-code.ts";
import type { TestDatabase } from "../support/postgres/postgres.ts";
import type { Project } from "../support/project/project.ts";

/** Rows of the table that the tour syncs, including `a-17`. */
export const rows = 60;

/** The expected exit code and output of a command. */
export type Outcome = {
  readonly code: number;
  readonly prints: RegExp;
  /** What must happen before it. */
  readonly before?: (project: Project, database: TestDatabase) => Promise<unknown>;
  /** Nobody can answer its question here, or its port may be taken. */
  readonly options?: readonly string[];
  /** It runs until it is stopped. */
  readonly lasts?: true;
};

/** A night in which every name changes. */
async function holdNight(project: Project, database: TestDatabase): Promise<void> {
  await database.query(
    "update crm.companies set company_name = company_name || '!', updated_at = now()",
  );
  expect(await project.sluice("run", "accounts")).toMatchObject({ code: exitCodes.held });
}

/** The sections after the reader's own file. */
export const sections = ["Then", "Before a run, and after", "When something is wrong"] as const;

/** Their commands, in the order of the README. */
export const outcomes: Readonly<Record<string, Outcome>> = {
  "sluice discover crm": { code: 0, prints: /crm\.companies/ },
  "sluice schedule apply": { code: 0, prints: /create +accounts: At 02:30/, options: ["--yes"] },
  "sluice webhooks": { code: 0, prints: /127\.0\.0\.1:\d+/, options: ["--port", "0"], lasts: true },
  'sluice backfill accounts --from "last 30 days"': {
    code: 0,
    prints: new RegExp(`read ${rows} = sent`),
    before: async (project) => {
      expect(await project.sluice("run", "accounts")).toMatchObject({ code: 0 });
    },
  },
  "sluice pull account_scores": {
    code: 0,
    prints: /results +read \d+ = written/,
    before: async (project, database) => {
      const { stdout } = await project.sluice("pull", "account_scores", "--ddl");
      await database.query(stdout);
    },
  },
  "sluice connector new acme": { code: 0, prints: /connector test/ },
  "sluice connector test ./acme": { code: 0, prints: /^\d+ ok, 0 failed, /m },
  "sluice test": { code: 0, prints: /^ok .*: 1 case$/m },
  "sluice plan accounts": { code: 0, prints: /would send 0, unchanged 60/ },
  "sluice approve": { code: 0, prints: /changed in account_properties\.name/, before: holdNight },
  "sluice explain accounts a-17": { code: 0, prints: /^ +service +holds /m },
  "sluice verify accounts --sample 50": { code: 0, prints: /^ +same +50$/m },
  "sluice forget accounts a-17": {
    code: 0,
    prints: /erased\n[^]*not within reach/,
    options: ["--yes"],
  },
  "sluice ui": {
    code: 0,
    prints: /http:\/\/127\.0\.0\.1:\d+/,
    options: ["--port", "0"],
    lasts: true,
  },
  "sluice status": { code: 0, prints: /^accounts .* done /m },
  "sluice runs show": { code: 0, prints: /rows +read/ },
  "sluice rejects list": { code: 0, prints: /has no rejects/ },
  "sluice doctor": { code: 0, prints: /^ok +Temporal/m },
};

/** A command without the run id from the README, which does not exist in this project. */
export function nameOf(command: string): string {
  return command.replace(/ accounts-\d{8}-\d{6}-[0-9a-f]{8}$/, "");
}
