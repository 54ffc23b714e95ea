import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { describe, expect, it, onTestFinished } from "vitest";
import { parseAllDocuments } from "yaml";
import { z } from "zod";

import { sources } from "../../connectors/registry.ts";
import type { Config } from "../../src/config/config.ts";
import { loadConfig } from "../../src/config/load.ts";

const root = resolve(import.meta.dirname, "../..");
const labels = z.record(z.string(), z.string());
const named = z.strictObject({ name: z.string() });
const probe = z.strictObject({
  httpGet: z.strictObject({ path: z.string(), port: z.string() }),
  periodSeconds: z.int(),
  timeoutSeconds: z.int(),
  failureThreshold: z.int(),
});
const resources = z.strictObject({ requests: labels, limits: labels });

const container = z.strictObject({
  name: z.string(),
  image: z.string(),
  args: z.array(z.string()),
  ports: z.array(z.strictObject({ name: z.string(), containerPort: z.int() })).default([]),
  envFrom: z.array(
    z.union([z.strictObject({ configMapRef: named }), z.strictObject({ secretRef: named })]),
  ),
  startupProbe: probe.optional(),
  livenessProbe: probe.optional(),
  readinessProbe: probe.optional(),
  resources,
  securityContext: z.strictObject({
    allowPrivilegeEscalation: z.literal(false),
    readOnlyRootFilesystem: z.literal(true),
    capabilities: z.strictObject({ drop: z.tuple([z.literal("ALL")]) }),
  }),
  volumeMounts: z.array(
    z.strictObject({ name: z.string(), mountPath: z.string(), readOnly: z.boolean().optional() }),
  ),
});

const podTemplate = z.strictObject({
  metadata: z.strictObject({ labels }),
  spec: z.strictObject({
    restartPolicy: z.literal("Never").optional(),
    securityContext: z.strictObject({
      runAsNonRoot: z.literal(true),
      runAsUser: z.int().min(1),
      runAsGroup: z.int().min(1),
      fsGroup: z.int().min(1),
      seccompProfile: z.strictObject({ type: z.literal("RuntimeDefault") }),
    }),
    automountServiceAccountToken: z.literal(false),
    terminationGracePeriodSeconds: z.int().optional(),
    topologySpreadConstraints: z.array(z.looseObject({})).optional(),
    containers: z.tuple([container]),
    volumes: z.array(
      z.union([
        z.strictObject({ name: z.string(), configMap: named }),
        z.strictObject({ name: z.string(), emptyDir: z.strictObject({ sizeLimit: z.string() }) }),
      ]),
    ),
  }),
});

const metadata = z.strictObject({ name: z.string(), labels });
const selector = z.strictObject({ matchLabels: labels });

/** The kinds in use, with the members in use: a member that Kubernetes does not know is an error here. */
const resource = z.discriminatedUnion("kind", [
  z.strictObject({
    apiVersion: z.literal("v1"),
    kind: z.literal("ConfigMap"),
    metadata,
    data: labels,
  }),
  z.strictObject({
    apiVersion: z.literal("v1"),
    kind: z.literal("Secret"),
    metadata,
    type: z.literal("Opaque"),
    stringData: labels,
  }),
  z.strictObject({
    apiVersion: z.literal("apps/v1"),
    kind: z.literal("Deployment"),
    metadata,
    spec: z.strictObject({
      replicas: z.int().min(2),
      selector,
      strategy: z.strictObject({
        rollingUpdate: z.strictObject({ maxUnavailable: z.int(), maxSurge: z.int() }),
      }),
      template: podTemplate,
    }),
  }),
  z.strictObject({
    apiVersion: z.literal("batch/v1"),
    kind: z.literal("Job"),
    metadata,
    spec: z.strictObject({
      backoffLimit: z.int(),
      ttlSecondsAfterFinished: z.int(),
      template: podTemplate,
    }),
  }),
  z.strictObject({
    apiVersion: z.literal("policy/v1"),
    kind: z.literal("PodDisruptionBudget"),
    metadata,
    spec: z.strictObject({ maxUnavailable: z.int(), selector }),
  }),
  z.strictObject({
    apiVersion: z.literal("v1"),
    kind: z.literal("Service"),
    metadata,
    spec: z.strictObject({
      selector: labels,
      ports: z.array(z.strictObject({ name: z.string(), port: z.int(), targetPort: z.string() })),
    }),
  }),
]);

type Resource = z.output<typeof resource>;
type Kind<Name extends Resource["kind"]> = Extract<Resource, { readonly kind: Name }>;

const folder = join(root, "deploy", "kubernetes");
const all = readdirSync(folder).flatMap((name) =>
  parseAllDocuments(readFileSync(join(folder, name), "utf8")).map((document) =>
    resource.parse(document.toJS()),
  ),
);

function ofKind<Name extends Resource["kind"]>(kind: Name): readonly Kind<Name>[] {
  return all.filter((one): one is Kind<Name> => one.kind === kind);
}

const templates = [...ofKind("Deployment"), ...ofKind("Job")].map(
  ({ metadata: { name }, spec }) => ({ name, ...spec.template }),
);

/** The environment of a container, later sources before earlier ones. */
function environmentOf({ envFrom }: z.output<typeof container>): Record<string, string> {
  const parts = envFrom.map((from) =>
    "secretRef" in from
      ? ofKind("Secret").find((one) => one.metadata.name === from.secretRef.name)?.stringData
      : ofKind("ConfigMap").find((one) => one.metadata.name === from.configMapRef.name)?.data,
  );
  expect(parts).not.toContain(undefined);
  return Object.fromEntries(parts.flatMap((part = {}) => Object.entries(part)));
}

/** The configuration of a container. */
async function configOf(of: z.output<typeof container>): Promise<Config> {
  const text = ofKind("ConfigMap").find(({ data }) => "sluice.yaml" in data)?.data["sluice.yaml"];
  const cwd = mkdtempSync(join(tmpdir(), "sluice-kubernetes-"));
  onTestFinished(() => rmSync(cwd, { recursive: true }));
  writeFileSync(join(cwd, "sluice.yaml"), text ?? "");
  const { SLUICE_CONFIG: _, ...env } = environmentOf(of);
  return await loadConfig({ cwd, env, connectors: sources });
}

describe("deploy/kubernetes", () => {
  it("has workers, receivers, what migrates the store, their settings, and budgets", () => {
    expect(all.map(({ kind, metadata: { name } }) => `${kind} ${name}`).toSorted()).toEqual([
      "ConfigMap sluice",
      "ConfigMap sluice-environment",
      "Deployment sluice-receiver",
      "Deployment sluice-worker",
      "Job sluice-migrate",
      "PodDisruptionBudget sluice-receiver",
      "PodDisruptionBudget sluice-worker",
      "Secret sluice",
      "Secret sluice-migrate",
      "Service sluice-receiver",
    ]);
  });

  it.each(templates)("$name writes to its state folder and nowhere else", ({ spec }) => {
    const [one] = spec.containers;
    const environment = environmentOf(one);
    const writable = one.volumeMounts.filter(({ readOnly }) => readOnly !== true);
    expect(writable.map(({ mountPath }) => mountPath)).toEqual([environment["SLUICE_STATE_DIR"]]);
    const volumes = new Map(spec.volumes.map((volume) => [volume.name, volume]));
    expect(volumes.get(writable[0]?.name ?? "")).toHaveProperty("emptyDir");
    const config = one.volumeMounts.find(({ readOnly }) => readOnly === true);
    expect(environment["SLUICE_CONFIG"]).toBe(`${config?.mountPath}/sluice.yaml`);
    expect(volumes.get(config?.name ?? "")).toHaveProperty("configMap.name", "sluice");
    // The image's user, who owns the folder in the image.
    expect(readFileSync(join(root, "Dockerfile"), "utf8")).toContain(
      `USER ${spec.securityContext.runAsUser}:${spec.securityContext.runAsGroup}\n`,
    );
  });

  it.each(templates)(
    "the configuration of $name is one, with what its environment says",
    async ({ spec }) => {
      const config = await configOf(spec.containers[0]);
      expect(config.store?.schema).toBe("sluice");
    },
  );

  it("fails a run that stages too much before it fills its worker's volume", async () => {
    const workers = templates.filter(({ name }) => name === "sluice-worker");
    expect(workers).toHaveLength(1);
    for (const { spec } of workers) {
      const [one] = spec.containers;
      const { "ephemeral-storage": size = "" } = one.resources.limits;
      expect(spec.volumes.at(-1)).toHaveProperty("emptyDir.sizeLimit", size);
      expect(size).toMatch(/^\d+Gi$/);
      // With room for another run, and for what else a worker writes.
      const { stagingBytesMax } = (await configOf(one)).advanced;
      expect(stagingBytesMax * 2).toBeLessThan(Number.parseInt(size, 10) * 2 ** 30);
    }
  });

  it("tells whether a pod lives and is ready on a port that it has, and gives it time to end", () => {
    for (const { spec } of ofKind("Deployment")) {
      const [one] = spec.template.spec.containers;
      expect(one.startupProbe?.httpGet.path).toBe("/livez");
      expect(one.livenessProbe?.httpGet.path).toBe("/livez");
      expect(one.readinessProbe?.httpGet.path).toBe("/readyz");
      const probes = [one.startupProbe, one.livenessProbe, one.readinessProbe];
      const [port] = one.ports;
      expect(new Set(probes.map((each) => each?.httpGet.port))).toEqual(new Set([port?.name]));
      expect(one.args.at(-1)?.split(":").at(-1)).toBe(String(port?.containerPort));
    }
    // 60 s: the worker's shutdownForceTime.
    const worker = templates.find(({ name }) => name === "sluice-worker");
    expect(worker?.spec.terminationGracePeriodSeconds).toBeGreaterThan(60);
  });

  it("selects the pods that are meant", () => {
    const labelsOf = new Map(templates.map((each) => [each.name, each.metadata.labels]));
    for (const { metadata: own, spec } of ofKind("Deployment")) {
      expect(spec.selector.matchLabels).toEqual(labelsOf.get(own.name));
    }
    for (const { metadata: own, spec } of ofKind("PodDisruptionBudget")) {
      expect(spec.selector.matchLabels).toEqual(labelsOf.get(own.name));
    }
    for (const { metadata: own, spec } of ofKind("Service")) {
      expect(spec.selector).toEqual(labelsOf.get(own.name));
      const pod = templates.find(({ name }) => name === own.name)?.spec.containers[0];
      expect(pod?.ports.map(({ name }) => name)).toContain(spec.ports[0]?.targetPort);
    }
  });
});
