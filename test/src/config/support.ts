import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { onTestFinished } from "vitest";
import { z } from "zod";

import { secret } from "../../../connectors/contract/connector.ts";
import type { Config } from "../../../src/config/config.ts";
import { loadConfig } from "../../../src/config/load.ts";
import type { ConnectorSchema } from "../../../src/config/schema/sources.ts";
import { ConfigError } from "../../../src/errors.ts";

/** Two connectors: one with a path and details, one with a secret, which supports write-back. */
export const connectors: ReadonlyMap<string, ConnectorSchema> = new Map([
  [
    "file",
    {
      config: z.strictObject({
        path: z.string().min(1).describe("Where the file is."),
        delimiter: z.string().length(1, "must be one character").optional(),
        quote: z
          .union([z.literal(false), z.string().length(1, "must be one character")])
          .optional(),
        folder: z.string().optional(),
      }),
    },
  ],
  [
    "table",
    {
      config: z.strictObject({
        url: secret(),
        table: z.string().optional(),
        query: z.string().optional(),
        file: z.string().optional().describe("The file that is written."),
        insert: z.boolean().optional(),
        statement_timeout: z.string().optional().describe("How long a statement may take."),
        tls: z.string().optional().describe("Whether it is encrypted."),
        folder: z.string().optional(),
      }),
      write: async () => await Promise.resolve([]),
    },
  ],
]);

/** A configuration without errors; its `accounts` sync comes last, so that members can be appended to it. */
export const soundYaml = `version: 1
api:
  api_key: abc123
connections:
  exports: { connector: file, path: ./a.csv }
syncs:
  accounts:
    from: exports
    stream: account
    record: { account_id: id, domain: site, account_properties: {} }
`;

/** The sound configuration with a piece of it replaced. */
export function changed(piece: string, by: string): string {
  if (!soundYaml.includes(piece)) throw new Error(`no ${piece} in the sound configuration`);
  return soundYaml.replace(piece, () => by);
}

/** The sound configuration with one more member in its sync, in line 11. */
export function withMember(member: string): string {
  return `${soundYaml}    ${member}\n`;
}

/** The input from which a configuration is loaded. */
export type Project = {
  /** Content by path. */
  readonly files: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
};

/** Writes files into a folder that is removed after the test. */
export async function makeProject(files: Project["files"]): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "sluice-config-")));
  onTestFinished(async () => await rm(folder, { recursive: true }));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  return folder;
}

/** Loads the configuration of a project. */
export async function load(project: Project): Promise<Config> {
  const cwd = await makeProject(project.files);
  return await loadConfig({ cwd, env: project.env ?? {}, connectors });
}

/** Loads a single YAML text. */
export async function loadYaml(yaml: string, env: Project["env"] = {}): Promise<Config> {
  return await load({ files: { "sluice.yaml": yaml }, env });
}

/** The message of the ConfigError with which loading must fail. */
export async function refusal(loading: Promise<unknown>): Promise<string> {
  const error: unknown = await loading.then(
    () => new Error("nothing was refused"),
    (thrown: unknown) => thrown,
  );
  if (error instanceof ConfigError) return error.message;
  throw error;
}

/** The first lines of the problems of a YAML text, `12:7: what is wrong`. */
export async function problemsOf(
  yaml: string,
  env: Project["env"] = {},
): Promise<readonly string[]> {
  const message = await refusal(loadYaml(yaml, env));
  return [...message.matchAll(/^sluice\.yaml:(.*)$/gm)].map(([, problem = ""]) => problem);
}
