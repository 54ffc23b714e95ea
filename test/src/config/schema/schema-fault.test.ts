import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { expect, it } from "vitest";
import { z } from "zod";

import { loadConfig } from "../../../../src/config/load.ts";
import { makeProject, refusal, soundYaml } from "../support.ts";

const yaml = soundYaml.replace(
  "{ connector: file, path: ./a.csv }",
  "{ connector: ./books, token: canary-77c1 }",
);

const readers = z.record(z.string(), z.custom<(text: string) => unknown>());

/** The message of a configuration whose connector checks its member with this schema. */
async function refusalWith(token: z.ZodType, folder?: string): Promise<string> {
  const cwd = folder ?? (await makeProject({}));
  await writeFile(join(cwd, "sluice.yaml"), yaml);
  const known = new Map([["./books", { config: z.strictObject({ token }) }]]);
  return await refusal(loadConfig({ cwd, env: {}, connectors: known }));
}

it.each([
  { name: "TypeError", token: z.string().transform((text) => new URL(text)) },
  { name: "SyntaxError", token: z.string().transform((text): unknown => JSON.parse(text)) },
  { name: "Error", token: z.string().refine(async () => await Promise.resolve(true)) },
])(
  "names the connector whose config throws a $name, and no member's value",
  async ({ name, token }) => {
    const message = await refusalWith(token);
    expect(message).toMatch(
      /^sluice\.yaml:5:\d+: the config of \.\/books fails over these members: /,
    );
    expect(message).toContain(`members: ${name}; it must check with \`refine\``);
    expect(message).not.toContain("canary");
  },
);

it("names the line of the connector that threw", async () => {
  const cwd = await makeProject({
    "books/read.mjs": "export const read = (text) =>\n  new URL(text);\n",
  });
  const { read } = readers.parse(await import(pathToFileURL(join(cwd, "books/read.mjs")).href));
  const message = await refusalWith(
    z.string().transform((text) => read?.(text)),
    cwd,
  );
  expect(message).toContain("members: TypeError at books/read.mjs:2; it must");
  expect(message).not.toContain("canary");
});
