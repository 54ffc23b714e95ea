import { Command } from "commander";

import type { Register } from "../../../src/cli/output/context.ts";
import { readEnvironment } from "../../../src/config/environment.ts";
import { type Harness, harnessKey } from "./harness.ts";

/** What a command printed, line by line, and its exit code. */
export type Shown = {
  readonly out: readonly string[];
  readonly said: readonly string[];
  readonly code: number;
};

/** Runs a command in the project of a harness, in this process. */
export async function runVerb(
  register: Register,
  {
    folder,
    sandbox,
    temporalAddress,
  }: Pick<Harness, "folder"> & {
    readonly sandbox: Pick<Harness["sandbox"], "address">;
    /** @default none is named */
    readonly temporalAddress?: string;
  },
  args: readonly string[],
): Promise<Shown> {
  const [out, said]: [string[], string[]] = [[], []];
  let code = 0;
  const program = new Command().exitOverride();
  register(program, {
    cwd: folder,
    environment: readEnvironment({
      SLUICE_BASE_URL: sandbox.address,
      SLUICE_API_KEY: harnessKey,
      CRM_DATABASE_URL: "none",
      ...(temporalAddress === undefined ? {} : { TEMPORAL_ADDRESS: temporalAddress }),
    }),
    print: (text) => void out.push(text),
    say: (text) => void said.push(text),
    exit: (given) => {
      code = given;
    },
  });
  await program.parseAsync(args, { from: "user" });
  return { out, said, code };
}
