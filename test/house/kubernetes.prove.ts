import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { afterAll, beforeAll, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { z } from "zod";

const deployed = resolve(import.meta.dirname, "../../deploy/kubernetes");

/** Has Kubernetes' own schemas; only this test uses it, so it is not a dependency of sluice. */
const schemas = "kubernetes-models@4.5.1";

type Model = new (resource: object) => { validate(): void };
const resource = z.looseObject({ apiVersion: z.string(), kind: z.string() });
const models = z.record(
  z.string(),
  z.custom<Model>((value) => typeof value === "function"),
);

let folder = "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "sluice-kubernetes-"));
  const how = ["--no-audit", "--no-fund", "--ignore-scripts", "--prefix", folder];
  execFileSync("npm", ["install", ...how, schemas]);
}, 120_000);

afterAll(() => rmSync(folder, { recursive: true }));

/** @throws {Error} it does not match the schema of its kind. */
async function validate(one: z.output<typeof resource>): Promise<void> {
  const file = join(folder, "node_modules/kubernetes-models", one.apiVersion, "index.mjs");
  const loaded: unknown = await import(pathToFileURL(file).href);
  const kinds = z.looseObject({}).parse(loaded);
  const found = models.parse({ [one.kind]: kinds[one.kind] })[one.kind];
  if (found === undefined) throw new Error(`${one.apiVersion} has no ${one.kind}`);
  new found(one).validate();
}

const all = readdirSync(deployed).flatMap((name) =>
  parseAllDocuments(readFileSync(join(deployed, name), "utf8")).map((document) =>
    resource.parse(document.toJS()),
  ),
);

it("each file of deploy/kubernetes is as Kubernetes' schemas say, which find a mistake", async () => {
  expect(all.length).toBeGreaterThan(5);
  for (const one of all) await expect(validate(one)).resolves.toBeUndefined();
  const worker = all.find(({ kind }) => kind === "Deployment");
  const broken = resource.parse({ ...worker, spec: { replicas: "two" } });
  await expect(validate(broken)).rejects.toThrow("replicas must be integer");
});
