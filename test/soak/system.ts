import { type ChildProcess, spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { end, until, watch } from "../support/process/process.ts";
import { type AtEnd, bin, Project, projectHead } from "../support/project/project.ts";
import { deliveredRecord, DeliveryMaker } from "../support/webhooks/signed-delivery.ts";
import { inspectorOf } from "./heap.ts";

/** Rows of the file that is read every minute; one in `changedOneIn` changes before each read. */
const [rows, changedOneIn] = [20_000, 50];

const path = "/hooks/forms";
const secret = `whsec_${Buffer.from("canary-webhook-secret-of-soak").toString("base64")}`;

/** Faults of the service, each in one of `oneIn` requests. */
const faults = [
  { step: "put", oneIn: 40, do: { status: 503 } },
  { step: "confirm-upload", oneIn: 40, do: { status: 500 } },
  { step: "upload-json", oneIn: 200, do: { status: 503 } },
  { step: "upload-json", oneIn: 200, do: { status: 429 } },
] as const;

/** A process whose heap can be inspected. */
export type Watching = {
  readonly child: ChildProcess;
  readonly inspector: string;
  readonly port: number;
};

/** The first run sends a file, whose lines are kept as long as the service may still apply it. */
const processingTime = "1m";

const configText = `${projectHead}  processing_time: ${processingTime}
connections:
  exports: { connector: csv, path: ./accounts.csv }
  forms: { connector: webhook, path: ${path}, secret: ${secret} }
syncs:
  accounts:
    from: exports
    stream: account
    record:
      account_id: id
      domain: { column: domain, as: domain }
      account_properties: { name: name, employees: { column: employees, as: integer } }
    schedule: { cron: "* * * * *", time_zone: UTC }
  forms:
    from: forms
    stream: account_event
    send: all
    record: ${JSON.stringify(deliveredRecord)}
advanced: { heartbeat_timeout: 10s, retry_initial: 500ms }
`;

/** A project that works for hours: its worker and receiver stay, and additional ones are killed. */
export class SoakSystem {
  readonly project: Project;
  readonly #atEnd: AtEnd;
  #edition = 0;

  private constructor(project: Project, atEnd: AtEnd) {
    this.project = project;
    this.#atEnd = atEnd;
  }

  /** Makes the project, with its faults ordered. */
  static async make(atEnd: AtEnd): Promise<SoakSystem> {
    const project = await Project.start(atEnd, { "sluice.yaml": configText });
    const system = new SoakSystem(project, atEnd);
    for (const fault of faults) project.sandbox.order(fault);
    await system.changeFile();
    return system;
  }

  /** Starts a worker or receiver whose heap can be inspected, and returns once it is ready. */
  async start(args: readonly string[], ready: RegExp): Promise<Watching> {
    const child = spawn(process.execPath, ["--inspect=127.0.0.1:0", bin, ...args], {
      cwd: this.project.folder,
      env: this.project.env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const { printed, ended } = watch(child);
    this.#atEnd(async () => {
      await end(child, "SIGKILL");
      await ended;
    });
    return await until(async () => {
      const { stdout, stderr } = printed();
      if (child.exitCode !== null) throw new Error(`${args.join(" ")} ended: ${stderr}`);
      const [said, port] = ready.exec(`${stdout}${stderr}`) ?? [];
      const inspector = inspectorOf(stderr);
      if (said === undefined || inspector === undefined) return await Promise.resolve(undefined);
      return { child, inspector, port: Number(port ?? 0) };
    });
  }

  async worker(): Promise<Watching> {
    return await this.start(["worker"], /worker started/);
  }

  async receiver(port = 0): Promise<Watching> {
    const ready = /"address":"http:\/\/127\.0\.0\.1:(\d+)/;
    return await this.start(["webhooks", "--port", `${port}`, "--json"], ready);
  }

  /** Makes deliveries whose ids begin with a name. */
  maker(name: string): DeliveryMaker {
    return new DeliveryMaker({ path, secret, name });
  }

  /** Rewrites the file: one row in `changedOneIn` differs from before. */
  async changeFile(): Promise<void> {
    const edition = this.#edition++;
    const nameOf = (row: number): string =>
      row % changedOneIn === 0 ? `Company ${row} ${edition}` : `Company ${row}`;
    const lines = Array.from(
      { length: rows },
      (_, row) => `a${row},c${row}.example,${nameOf(row)},${row % 500}`,
    );
    const text = ["id,domain,name,employees", ...lines, ""].join("\n");
    await writeFile(join(this.project.folder, "accounts.csv"), text);
  }

  /** Rows that differ between the file and the service. */
  async differences(): Promise<number> {
    const held = await this.project.records();
    const lines = (await this.project.read("accounts.csv")).trimEnd().split("\n").slice(1);
    return lines.filter((line) => {
      const [id = "", , name = ""] = line.split(",");
      return !(held.get(id) ?? "").includes(JSON.stringify(name));
    }).length;
  }
}
