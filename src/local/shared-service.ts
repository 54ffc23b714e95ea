import { randomUUID } from "node:crypto";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { z } from "zod";

import { inStateFolder } from "../state/sqlite/state-fault.ts";
import { exclusively } from "./exclusively.ts";
import { endProcess, identify, isRunning, type ProcessIdentity } from "./process-identity.ts";

/** A server that several commands share: its process, and its addresses by name. */
export type ServiceInfo = {
  readonly pid: number;
  readonly addresses: Readonly<Record<string, string>>;
};

/** A server to share. */
export type ServiceRequest = {
  /** The state folder; it holds the record and the lock of the service. */
  readonly folder: string;
  readonly name: "temporal" | "sandbox";
  /**
   * Starts the server in a process group of its own and returns once it answers. It calls `spawned` as soon as there is
   * a process: if we die before the server is up, the next command finds the process and ends it.
   */
  start(spawned: (pid: number) => void): Promise<ServiceInfo>;
  /** Called once if another command that starts, stops or joins the server has to be waited for. */
  readonly waiting?: (() => void) | undefined;
  /** Whether a recorded server, whose process runs, still answers; if not, it is replaced. */
  isAlive(info: ServiceInfo): Promise<boolean>;
};

/** The use of a shared server by one command. */
export type ServiceUse = {
  readonly info: ServiceInfo;
  /** False if another command started it. */
  readonly startedHere: boolean;
  /** Ends this use; the last user ends the server and returns once it is gone. A second call changes nothing. */
  release(): Promise<void>;
};

const identitySchema = z.object({ pid: z.int().positive(), started: z.string() });

const recordSchema = z.object({
  server: identitySchema,
  /** Absent until the server answers. */
  addresses: z.record(z.string(), z.string()).optional(),
  users: z.array(identitySchema.extend({ id: z.string() })).readonly(),
});

type ServiceRecord = z.output<typeof recordSchema>;

/**
 * Uses the server that a record in the folder names, or starts one. Forgets users that died without releasing it. All
 * users must be on one host, because the record names them by process number.
 * @throws what `start` throws, with nothing left running
 */
export async function acquireService(request: ServiceRequest): Promise<ServiceUse> {
  const file = join(request.folder, `${request.name}.json`);
  const user = { id: randomUUID(), ...identityOf(process.pid) };
  const acquire = async (): Promise<Pick<ServiceUse, "info" | "startedHere">> => {
    const found = readRecord(file);
    const users = [...livingUsers(found), user];
    const shared = found === undefined ? undefined : await answering(found, request);
    if (found !== undefined && shared !== undefined) {
      await joinUsers(found, file, users);
      return { info: shared, startedHere: false };
    }
    if (found !== undefined) await endProcess(found.server);
    return { info: await start(request, file, users), startedHere: true };
  };
  const { info, startedHere } = await inStateFolder(
    request.folder,
    async () => await exclusively(lockOf(request), acquire, request.waiting),
  );
  let released: Promise<void> | undefined;
  return {
    info,
    startedHere,
    release: async () => {
      // If the disk takes no lock any more, nobody else gets one either; the server must not outlive its last user.
      released ??= exclusively(lockOf(request), async () => await leave(file, user.id)).catch(
        async () => await leave(file, user.id),
      );
      await released;
    },
  };
}

/**
 * The server that a record in the folder names, while its process runs. Starts nothing; the server may stop
 * at any time.
 */
export function findService({
  folder,
  name,
}: Pick<ServiceRequest, "folder" | "name">): ServiceInfo | undefined {
  const record = readRecord(join(folder, `${name}.json`));
  if (record?.addresses === undefined || !isRunning(record.server)) return undefined;
  return { pid: record.server.pid, addresses: record.addresses };
}

function lockOf({ folder, name }: ServiceRequest): string {
  return join(folder, `${name}.lock`);
}

function identityOf(pid: number): ProcessIdentity {
  // A process that is already gone gets an identity that matches no process: it counts as not running.
  return identify(pid) ?? { pid, started: "" };
}

async function answering(
  { server, addresses }: ServiceRecord,
  request: ServiceRequest,
): Promise<ServiceInfo | undefined> {
  if (addresses === undefined || !isRunning(server)) return undefined;
  const info = { pid: server.pid, addresses };
  return (await request.isAlive(info)) ? info : undefined;
}

async function start(
  request: ServiceRequest,
  file: string,
  users: ServiceRecord["users"],
): Promise<ServiceInfo> {
  let server: ProcessIdentity | undefined;
  try {
    const info = await request.start((pid) => {
      server = identityOf(pid);
      writeRecord(file, { server, users });
    });
    server = identityOf(info.pid);
    writeRecord(file, { server, addresses: info.addresses, users });
    return info;
  } catch (error) {
    if (server !== undefined) await endProcess(server);
    rmSync(file, { force: true });
    throw error;
  }
}

/**
 * Records one more user of a running server. If that fails and the other users have died, ends the
 * server: nobody else would.
 */
async function joinUsers(
  record: ServiceRecord,
  file: string,
  users: ServiceRecord["users"],
): Promise<void> {
  try {
    writeRecord(file, { ...record, users });
  } catch (error) {
    if (users.length === 1) await endProcess(record.server);
    throw error;
  }
}

async function leave(file: string, id: string): Promise<void> {
  const record = readRecord(file);
  if (record === undefined) return;
  const users = livingUsers(record).filter((user) => user.id !== id);
  if (users.length > 0) return noteUsers(file, { ...record, users });
  await endProcess(record.server);
  rmSync(file, { force: true });
}

/** Records the remaining users. On a full disk the one who left stays recorded, and is forgotten with its process. */
function noteUsers(file: string, record: ServiceRecord): void {
  try {
    writeRecord(file, record);
  } catch {
    return;
  }
}

function livingUsers(record: ServiceRecord | undefined): ServiceRecord["users"] {
  return record?.users.filter(isRunning) ?? [];
}

function readRecord(file: string): ServiceRecord | undefined {
  try {
    // A record written by another version, or broken by a person, counts as missing.
    return recordSchema.safeParse(JSON.parse(readFileSync(file, "utf8"))).data;
  } catch {
    return undefined;
  }
}

function writeRecord(file: string, record: ServiceRecord): void {
  writeFileSync(`${file}.new`, JSON.stringify(record), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
