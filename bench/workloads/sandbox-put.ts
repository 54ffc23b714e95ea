// How much memory and time the sandbox takes for one large PUT: node bench/workloads/sandbox-put.ts --bytes 2000000000
// The sandbox runs in a process of its own and compiled, as it is shipped: Node's TypeScript loader alone
// takes 30 MB. The figure is its peak RSS; exit code 1 if that is 150 MB or more.
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { mkdir, mkdtemp, open, readFile, rm, stat, writeFile } from "node:fs/promises";
import { type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { pipeline } from "node:stream/promises";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs, promisify } from "node:util";
import { gzip } from "node:zlib";

import { z } from "zod";

const rssBytesMax = 150_000_000;
const recordsPerMember = 4_000;
const membersMade = 24;
const pingEveryMs = 50;

const root = fileURLToPath(new URL("../..", import.meta.url));
const uploadAddress = z.object({ upload_url: z.string(), file_key: z.string() });

const { values } = parseArgs({ options: { bytes: { type: "string", default: "2000000000" } } });
const folder = await mkdtemp(join(tmpdir(), "sandbox-put-"));
// Inside node_modules, so that the compiled code finds the packages it imports.
await mkdir(join(root, "node_modules", ".cache"), { recursive: true });
const compiled = await mkdtemp(join(root, "node_modules", ".cache", "sandbox-put-"));
try {
  process.exitCode = await measure(Number(values.bytes));
} finally {
  await rm(folder, { recursive: true });
  await rm(compiled, { recursive: true });
}

async function measure(bytesMax: number): Promise<number> {
  const file = join(folder, "accounts.jsonl.gz");
  await writeGzip(file, bytesMax);
  const child = await startCompiled(join(folder, "data"));
  try {
    const result = await put({ address: await firstLine(child), file });
    const rssBytes = await peakRss(child);
    console.log(JSON.stringify({ ...result, rssMB: Math.round(rssBytes / 1e6) }));
    return rssBytes < rssBytesMax ? 0 : 1;
  } finally {
    child.kill();
    await once(child, "exit");
  }
}

async function startCompiled(dataFolder: string): Promise<ChildProcess> {
  const project = join(compiled, "tsconfig.json");
  const compilerOptions = {
    rootDir: root,
    outDir: compiled,
    typeRoots: [join(root, "node_modules/@types")],
  };
  const include = [join(root, "src/sandbox")];
  await writeFile(
    project,
    JSON.stringify({ extends: join(root, "tsconfig.json"), compilerOptions, include }),
  );
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  await promisify(execFile)(process.execPath, [compiler, "-p", project]);
  const server = pathToFileURL(join(compiled, "src/sandbox/thread.js")).href;
  const settings = JSON.stringify({ host: "127.0.0.1", port: 0, dataFolder });
  const main = `import { startSandboxThread } from ${JSON.stringify(server)};
    console.log((await startSandboxThread(${settings})).address);`;
  return spawn(process.execPath, ["--input-type=module", "--eval", main], {
    stdio: ["ignore", "pipe", "inherit"],
  });
}

/** Writes as many gzip members as fit: makes a few and repeats them, because deflating 2 GB would take minutes. */
async function writeGzip(path: string, bytesMax: number): Promise<void> {
  const compress = promisify(gzip);
  const members = [];
  for (let made = 0; made < membersMade; made += 1) {
    members.push(await compress(accounts(made * recordsPerMember), { level: 1 }));
  }
  const file = await open(path, "wx");
  let bytes = 0;
  for (let index = 0; ; index += 1) {
    const member = members[index % members.length];
    if (member === undefined || bytes + member.length > bytesMax) break;
    await file.appendFile(member);
    bytes += member.length;
  }
  await file.close();
}

/** Records whose text compresses well and whose token does not, about 420 bytes each. */
function accounts(first: number): string {
  let lines = "";
  for (let number = first; number < first + recordsPerMember; number += 1) {
    const token = Array.from({ length: 6 }, () => Math.random().toString(36).slice(2)).join("");
    const record = {
      type: "account",
      account_id: `A-${number}`,
      domain: `company-${number}.example`,
      account_properties: {
        name: `Société ${number}`,
        industry: "Information Technology & Services",
        employees: number % 5_000,
        token,
        description: "We build pipelines for bridges, and bridges for pipelines. ".repeat(3),
      },
    };
    lines += `${JSON.stringify(record)}\n`;
  }
  return lines;
}

async function put(to: { address: string; file: string }): Promise<Record<string, number>> {
  const { size } = await stat(to.file);
  const asked = await post(`${to.address}/ingestion/generate-upload-url`, {
    stream: "account",
    content_type: "application/jsonl",
    content_encoding: "gzip",
  });
  const { upload_url: url, file_key: fileKey } = uploadAddress.parse(asked);
  const done = new AbortController();
  const slowest = slowestPing(to.address, done.signal);
  const startedMs = performance.now();
  await putFile({ url, file: to.file, bytes: size });
  const putMs = performance.now() - startedMs;
  done.abort();
  await post(`${to.address}/ingestion/confirm-upload`, { file_key: fileKey });
  const confirmMs = performance.now() - startedMs - putMs;
  return {
    bytes: size,
    seconds: Math.round(putMs / 100) / 10,
    confirmMs: Math.round(confirmMs),
    slowestPingMs: Math.round(await slowest),
  };
}

/** Sends with a length, as an object store requires. node:http, because fetch would send chunks. */
async function putFile(from: { url: string; file: string; bytes: number }): Promise<void> {
  const sending = request(from.url, {
    method: "PUT",
    headers: {
      "content-type": "application/jsonl",
      "content-encoding": "gzip",
      "content-length": from.bytes,
    },
  });
  const answered = new Promise<IncomingMessage>((resolve) => {
    sending.once("response", resolve);
  });
  await pipeline(createReadStream(from.file, { highWaterMark: 1024 * 1024 }), sending);
  const answer = await answered;
  answer.resume();
  if (answer.statusCode !== 200) throw new Error(`PUT: ${answer.statusCode}`);
}

async function post(url: string, body: unknown): Promise<unknown> {
  const answer = await fetch(url, {
    method: "POST",
    headers: { "x-api-key": "bench", "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
  return await answer.json();
}

/** The longest wait for a ping meanwhile; a ping without a key is answered 401, and not counted. */
async function slowestPing(address: string, until: AbortSignal): Promise<number> {
  let slowestMs = 0;
  while (!until.aborted) {
    const startedMs = performance.now();
    await (await fetch(`${address}/v1/ping`)).text();
    slowestMs = Math.max(slowestMs, performance.now() - startedMs);
    await setTimeout(pingEveryMs);
  }
  return slowestMs;
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error("the child has no stdout");
  for await (const line of createInterface({ input: child.stdout })) return line;
  throw new Error("the sandbox did not start");
}

async function peakRss(child: ChildProcess): Promise<number> {
  const status = await readFile(`/proc/${child.pid}/status`, "utf8");
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}
