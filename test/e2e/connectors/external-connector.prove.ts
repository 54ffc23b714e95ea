import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { describe, expect, it, onTestFinished } from "vitest";

import { canaries } from "../../support/canaries.ts";
import { end } from "../../support/process/process.ts";
import { Project, projectHead } from "../../support/project/project.ts";

const timeoutMs = 240_000;
const zod = fileURLToPath(new URL("../../../node_modules/zod", import.meta.url));

/** A project with connectors in its own folder, which has zod but not sluice. */
async function projectWith(files: Readonly<Record<string, string>>): Promise<Project> {
  const project = await Project.start(onTestFinished, {});
  for (const folder of ["demo", "node_modules"]) await mkdir(join(project.folder, folder));
  await symlink(zod, join(project.folder, "node_modules/zod"));
  for (const [name, text] of Object.entries(files)) await project.write(name, text);
  return project;
}

const demo = `import { pullSource, secret } from "sluice/connector";
import { z } from "zod";

import { readCounted } from "./read.ts";

const config = z.strictObject({
  rows: z.int(),
  access: z.strictObject({ tokens: z.array(secret()) }),
});

/** What the reading needs. */
export type Demo = z.output<typeof config>;

export const demo = pullSource({
  name: "demo",
  config,
  position: z.strictObject({ seq: z.int() }),
  read: readCounted,
  check: async ({ config: { access } }) => [{ name: "tokens", ok: true, detail: String(access.tokens) }],
});
`;

const read = `import { SourceAuthError, type ConnectorRequest, type Page, type Row, type Span } from "sluice/connector";
import { isMainThread } from "node:worker_threads";

import type { Demo } from "./index.ts";

type Position = { readonly seq: number };

export async function* readCounted(
  { config, from, to, pageRowsMax, log }: ConnectorRequest<Demo> & Span<Position> & { readonly pageRowsMax: number },
): AsyncGenerator<Page<Row, Position>> {
  const [token] = config.access.tokens;
  if (token?.reveal().endsWith("-of-a-sender") !== true) throw new SourceAuthError("this is not the token");
  log.warn(isMainThread ? "read in the main thread" : "read in a thread of its own");
  const last = to?.seq ?? config.rows;
  for (let seq = from?.seq ?? 0; seq < last; ) {
    const rows: Row[] = [];
    while (rows.length < pageRowsMax && seq < last) {
      seq++;
      rows.push({ id: \`a\${seq}\`, domain: \`c\${seq}.example\` });
    }
    yield { rows, position: { seq }, where: (index) => \`demo#\${seq - rows.length + index + 1}\` };
  }
}
`;

function config(connection: string): string {
  return `${projectHead}connections:
  mine: ${connection}
syncs:
  accounts:
    from: mine
    stream: account
    chunk: { records: 400 }
    record: { account_id: id, domain: domain, account_properties: {} }
`;
}

const connection = (rows: number): string =>
  `{ connector: ./demo, rows: ${rows}, access: { tokens: ["\${DEMO_TOKEN}"] } }`;

/** A loadable connector, except for what a case changes. */
const sound = `import { pullSource } from "sluice/connector";
import { z } from "zod";
export const mine = pullSource({
  name: "mine",
  config: z.strictObject({ url: z.string().default("x:") }),
  position: z.object({}),
  async *read() {},
});
`;

describe("an external connector", () => {
  it(
    "runs through Temporal and staging threads, with a secret, and continues where it was",
    async () => {
      const project = await projectWith({
        "sluice.yaml": config(connection(1_000)),
        ".env": `DEMO_TOKEN=${canaries.webhookSecret}\n`,
        "demo/index.ts": demo,
        "demo/read.ts": read,
      });
      const checked = await project.sluice("check", "mine");
      expect(checked).toMatchObject({ code: 0, stdout: "ok    mine: tokens: [secret]\n" });
      const preview = await project.sluice("preview", "accounts", "-n", "1");
      expect(preview).toMatchObject({ code: 0 });
      expect(JSON.parse(preview.stdout)).toMatchObject({ account_id: "a1" });

      const worker = await project.worker();
      const report = await (await project.start({ sync: "accounts" })).result();
      expect(report).toMatchObject({ outcome: "done", counts: { sent: 1_000 } });
      expect(report.warnings).toContain("read in a thread of its own");
      expect(report.chunks).toBeGreaterThan(1);
      expect((await project.records()).size).toBe(1_000);
      await end(worker, "SIGTERM");

      await project.write("sluice.yaml", config(connection(1_003)));
      await project.worker();
      const more = await (await project.start({ sync: "accounts" }, "again")).result();
      expect(more.counts).toMatchObject({ read: 3, sent: 3 });
      const shown = await project.sluice("state", "show", "accounts", "--json");
      expect(JSON.parse(shown.stdout)).toMatchObject({ position: { seq: 1_003 } });
    },
    timeoutMs,
  );

  it(
    "that is wrong is refused before anything is read, with its place in sluice.yaml",
    async () => {
      const project = await projectWith({
        "sound.ts": sound,
        "demo/index.js": "nothing.at.all;\n",
        "empty.ts": "export {};\n",
        "two.ts": `${sound}export const other = { ...mine };\n`,
        "text.ts": sound.replace(/z\.strictObject.*,$/m, "z.string(),"),
        "newer.ts": `${sound.replace("export const", "const")}export const newer = { ...mine, api: { version: 7 } };\n`,
        "class.ts": sound.replace(
          'z.string().default("x:")',
          "z.url().transform((text) => new URL(text))",
        ),
      });
      const cases: readonly (readonly [connection: string, said: string])[] = [
        ["connector: ./sound.ts, folder: x", 'unknown member "folder"'],
        ["connector: ./sound.ts, ulr: x", 'unknown member "ulr" (did you mean "url"?)'],
        ["connector: ./postgrse", 'there is no file ./postgrse (did you mean "postgres"?)'],
        ["connector: sound.ts", 'no connector has this name (did you mean "./sound.ts"?)'],
        ["connector: ./demo", "./demo cannot be loaded: demo/index.js:1: nothing is not defined"],
        ["connector: ./empty.ts", "./empty.ts exports no connector"],
        ["connector: ./two.ts", "./two.ts exports 2 connectors: mine, other"],
        ["connector: ./text.ts", "./text.ts: the `config` of mine takes no members"],
        ["connector: ./newer.ts", "./newer.ts is made for version 7 of the connector interface"],
        ["connector: sluice-connector-x", "no package sluice-connector-x is installed"],
        [
          "connector: ./class.ts, url: 'https://a.example'",
          "./class.ts makes a value of its members that cannot",
        ],
      ];
      const written = cases.map(([members], at) => `  c${at}: { ${members} }\n`).join("");
      const yaml = `${projectHead}connections:\n${written}  sound: { connector: ./sound.ts }\nsyncs: {}\n`;
      await project.write("sluice.yaml", yaml);
      const { code, stderr } = await project.sluice("check");
      expect(code).toBe(2);
      expect(stderr).not.toMatch(/^ +at /m);
      const found = stderr.split("\n").filter((line) => line.includes("sluice.yaml:"));
      const firstLine = projectHead.split("\n").length + 1;
      expect(found).toHaveLength(cases.length);
      for (const [at, [, said]] of cases.entries()) {
        const place = `sluice\\.yaml:${firstLine + at}:\\d+: `;
        expect(found[at]).toMatch(new RegExp(`${place}${RegExp.escape(said)}`));
      }
    },
    timeoutMs,
  );
});
