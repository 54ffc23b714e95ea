import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";

const root = resolve(import.meta.dirname, "../..");
const read = (name: string): string => readFileSync(join(root, name), "utf8");

const serviceSchema = z.looseObject({
  profiles: z.array(z.string()).optional(),
  command: z.array(z.string()).optional(),
  environment: z.record(z.string(), z.string().nullable()).optional(),
  ports: z.array(z.string()).optional(),
  volumes: z.array(z.union([z.string(), z.looseObject({ target: z.string() })])).optional(),
  stop_grace_period: z.string().optional(),
});

const { services } = z
  .looseObject({ services: z.record(z.string(), serviceSchema) })
  .parse(parse(read("docker-compose.yml"), { merge: true }));
const ours = Object.entries(services).filter(([, service]) => "build" in service);

const { configs } = z
  .looseObject({ configs: z.record(z.string(), z.looseObject({ content: z.string() })) })
  .parse(parse(read("docker-compose.yml")));

describe("docker-compose.yml", () => {
  it("passes its linter", () => {
    const dclint = join(root, "node_modules", ".bin", "dclint");
    const lint = spawnSync(process.execPath, [dclint, "--max-warnings=0", "docker-compose.yml"], {
      cwd: root,
      encoding: "utf8",
    });
    expect(lint.stdout.trim()).toBe("");
    expect(lint.status).toBe(0);
  });

  it("runs workers, receivers, what migrates their store, and the sandbox of ours", () => {
    expect(ours.map(([name, { profiles, command }]) => [name, profiles, command])).toEqual([
      ["worker", ["worker"], ["worker"]],
      ["demo-worker", ["demo"], ["worker"]],
      ["team-migrate", ["team"], ["store", "migrate"]],
      ["team-worker", ["team"], ["worker", "--http", "127.0.0.1:9464"]],
      ["team-receiver", ["team"], ["webhooks", "--port", "8090"]],
      [
        "sandbox",
        ["demo", "team"],
        ["sandbox", "--port", "8089", "--data", "/var/lib/sluice/sandbox"],
      ],
    ]);
  });

  it("publishes every port on this host alone (T21)", () => {
    const ports = Object.values(services).flatMap((service) => service.ports ?? []);
    expect(ports.length).toBeGreaterThan(2);
    expect(ports.filter((port) => !port.startsWith("127.0.0.1:"))).toEqual([]);
  });

  it("gives the address and the key of the sandbox to the demo and the team alone", () => {
    const knowing = Object.entries(services).filter(([, service]) =>
      JSON.stringify(service.environment ?? {}).includes("sandbox"),
    );
    expect(knowing.map(([name]) => name)).toEqual([
      "demo-worker",
      "team-migrate",
      "team-worker",
      "team-receiver",
    ]);
    // No value: the value from the shell or .env, or none if they have none.
    expect(services["worker"]?.environment).toMatchObject({
      SLUICE_BASE_URL: null,
      SLUICE_LEGACY_BASE_URL: null,
      SLUICE_API_KEY: null,
    });
  });

  it("has the proxy look its receivers up again, which have other addresses once they are made anew", () => {
    const { content = "" } = configs["team-proxy"] ?? {};
    expect(content).toMatch(/^resolver 127\.0\.0\.11 valid=\d+s;$/m);
    expect(content).toMatch(/^  server team-receiver:8090 resolve;$/m);
    // `resolve` needs a zone, and an nginx of 1.27.3 or newer.
    expect(content).toMatch(/^  zone receivers \d+k;$/m);
    expect(read("docker-compose.yml")).toContain("image: nginx:${NGINX_VERSION:-1.29}\n");
  });

  it("gives a worker more time to end than the worker gives its activities", () => {
    // 60 s: the worker's shutdownForceTime.
    const graceSeconds = ours.map(([, service]) =>
      Number.parseInt(service.stop_grace_period ?? "", 10),
    );
    expect(Math.min(...graceSeconds)).toBeGreaterThan(60);
  });

  it("lets each of ours write to one folder alone, which is a volume of its own", () => {
    const locked = { read_only: true, cap_drop: ["ALL"], security_opt: ["no-new-privileges:true"] };
    for (const [, service] of ours) expect(service).toMatchObject(locked);
    const volumes = ours.map(([, service]) =>
      service.volumes?.filter(
        (volume) => typeof volume === "string" && volume.endsWith("/var/lib/sluice"),
      ),
    );
    expect(volumes).toEqual([
      ["sluice-state:/var/lib/sluice"],
      ["demo-state:/var/lib/sluice"],
      ["/var/lib/sluice"],
      ["/var/lib/sluice"],
      ["/var/lib/sluice"],
      ["sandbox-data:/var/lib/sluice"],
    ]);
  });
});

/** One stage of the image as a folder, which represents /app. */
type Stage = { readonly app: string; readonly env: Record<string, string | undefined> };

/**
 * Follows the Dockerfile in empty folders: COPY takes only what .dockerignore lets through, and of RUN only npm's steps
 * are done; the rest needs a container.
 */
function followDockerfile(folder: string): Stage {
  const stages = new Map<string, Stage>();
  let stage: Stage = { app: "", env: {} };
  for (const step of read("Dockerfile").replaceAll("\\\n", " ").split("\n")) {
    const [instruction, ...words] = step
      .split(/\s+/)
      .filter((word) => !word.startsWith("--mount="));
    const [first = "", ...rest] = words;
    if (instruction === "FROM") {
      stage = { app: join(folder, String(stages.size), "app"), env: { ...process.env } };
      mkdirSync(stage.app, { recursive: true });
      stages.set(words[2] ?? "", stage);
    } else if (instruction === "ENV") {
      for (const setting of words) {
        const [name = "", value = ""] = setting.split("=");
        stage.env[name] = value;
      }
    } else if (instruction === "COPY" && first.startsWith("--from=")) {
      const from = stages.get(first.slice("--from=".length))?.app ?? "";
      const [source = "", target = ""] = rest;
      cpSync(join(from, relative("/app", source)), join(stage.app, target), { recursive: true });
    } else if (instruction === "COPY") {
      for (const name of words.slice(0, -1)) copyIn(name, words.at(-1) ?? "", stage);
    } else if (instruction === "RUN" && first === "npm") {
      const npm = spawnSync("npm", rest, { cwd: stage.app, env: stage.env, encoding: "utf8" });
      if (npm.status !== 0) throw new Error(`${step}\n${npm.stdout}\n${npm.stderr}`);
    }
  }
  return stage;
}

function copyIn(name: string, target: string, { app }: Stage): void {
  const [everything, ...exceptions] = read(".dockerignore").trim().split("\n");
  expect(everything).toBe("*");
  expect(exceptions).toContain(`!${name}`);
  cpSync(join(root, name), join(app, target, target.endsWith("/") ? name : ""), {
    recursive: true,
  });
}

describe("the image of the Dockerfile", () => {
  let folder = "";

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "sluice-image-"));
  });

  afterAll(() => {
    rmSync(folder, { recursive: true });
  }, 60_000);

  it("makes a folder, from nothing but what it copies, in which the command works", () => {
    const { app, env } = followDockerfile(folder);
    const entrypoint = /^ENTRYPOINT (.*)$/m.exec(read("Dockerfile"))?.[1] ?? "";
    const [command, path = ""] = z.array(z.string()).parse(JSON.parse(entrypoint));
    expect(command).toBe("node");
    const args = [join(app, relative("/app", path)), "--help"];
    const help = execFileSync(process.execPath, args, { cwd: app, env, encoding: "utf8" });
    expect(help).toContain("worker");
    expect(help).toContain("sandbox");
    expect(env["SLUICE_HOST"]).toBe("0.0.0.0");
  }, 240_000);
});
