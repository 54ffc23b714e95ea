import type { ChildProcess } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { freePorts } from "../../src/local/ports.ts";
import { bin } from "../built.ts";
import { end, firstJson, start } from "../child.ts";
import { flagsOf } from "../launch-flags.ts";
import { benchApiKey } from "../project.ts";

/** Where a benchmark's deliveries go, and the secret that signs them. */
export const benchConnection = {
  path: "/hooks/bench",
  secret: `whsec_${Buffer.from("a secret of a benchmark, no more").toString("base64")}`,
} as const;

/**
 * `sluice webhooks`, its parts with another inbox (receiver.ts), or only Node's own server
 * (bare.ts).
 */
export type ReceiverKind = "sluice" | "nothing" | "each" | "bare";

/** A receiver in a process of its own. */
export type ReceiverProcess = {
  readonly child: ChildProcess;
  readonly port: number;
  readonly stateFolder: string;
};

const receiverProgram = fileURLToPath(new URL("receiver.ts", import.meta.url));
const bareProgram = fileURLToPath(new URL("bare.ts", import.meta.url));

/** Node's flags for `sluice webhooks`, also used for the programs compared with it. */
const receiverFlags = await flagsOf("webhooks");

/**
 * Starts a receiver with an empty inbox in an empty folder; the caller ends it. `preload` is a library that
 * is loaded into its process.
 */
export async function startReceiver(how: {
  readonly kind: ReceiverKind;
  readonly folder: string;
  readonly preload?: string | undefined;
}): Promise<ReceiverProcess> {
  const { kind, folder, preload } = how;
  const [port = 0, nobody = 0] = await freePorts("127.0.0.1", 2);
  const stateFolder = join(folder, ".sluice");
  await mkdir(stateFolder);
  await writeFile(join(folder, "sluice.yaml"), config());
  const env = [
    // Nobody drains: only receiving is measured, and nothing else uses the cores.
    `TEMPORAL_ADDRESS=127.0.0.1:${nobody}`,
    ...(preload === undefined ? [] : [`LD_PRELOAD=${preload}`]),
  ];
  const args = [...env, process.execPath, ...programOf(kind, stateFolder), "--port", `${port}`];
  const child = start(args, folder, { program: "env" });
  try {
    await firstJson(child);
    return { child, port, stateFolder };
  } catch (error) {
    await end(child);
    throw error;
  }
}

function programOf(kind: ReceiverKind, folder: string): readonly string[] {
  const { path, secret } = benchConnection;
  if (kind === "sluice") return [bin, "webhooks", "--json"];
  if (kind === "bare") return [...receiverFlags, bareProgram, "--secret", secret];
  const receiver = ["--path", path, "--secret", secret, "--folder", folder];
  return [...receiverFlags, receiverProgram, "--inbox", kind, ...receiver];
}

function config(): string {
  const api = { base_url: "sandbox", legacy_base_url: "sandbox", api_key: benchApiKey };
  const connections = { bench: { connector: "webhook", ...benchConnection } };
  // JSON is YAML.
  return JSON.stringify({ version: 1, api, connections, syncs: {} }, undefined, 2);
}
