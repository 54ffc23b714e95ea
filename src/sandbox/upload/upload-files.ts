import { createHash, randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";

import type { SandboxStream } from "../schemas.ts";
import { FileCheck, fileIssue, type FileVerdict } from "./file-check.ts";
import { signatureSha256 } from "./signature.ts";
import type { Content } from "./upload.ts";

const compress = promisify(gzip);

/** A PUT whose bytes are still coming. */
export type IncomingFile = {
  readonly fileKey: string;
  readonly stream: SandboxStream;
  readonly body: AsyncIterable<Buffer>;
};

/**
 * The folder of gzip files. A file is named after the hash of its key, so that a key is never a path, and after a
 * random id, so that a second PUT never touches the file of the first.
 */
export class UploadFiles {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Opens the folder and removes files that no upload refers to: a crash prevented their ledger lines. */
  static async open(folder: string, known: ReadonlySet<string>): Promise<UploadFiles> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const names = await readdir(folder);
    await Promise.all(
      names.filter((name) => !known.has(name)).map((name) => rm(join(folder, name))),
    );
    return new UploadFiles(folder);
  }

  /** The path of a file. */
  path(diskName: string): string {
    return join(this.#folder, diskName);
  }

  /**
   * Streams a PUT to disk and checks it as it comes; it is flushed before this resolves. A refused file is not kept.
   * @throws when the client goes away or the disk fails; no file is left then.
   */
  async receive(incoming: IncomingFile): Promise<Content> {
    const part = this.path(`${randomUUID()}.part`);
    try {
      const { gzipSha256, bytes, verdict } = await writeAndCheck(part, incoming);
      const isClean = await holdsOnlyZeros(part, { start: verdict.memberBytes, end: bytes });
      const issues =
        verdict.issues.length > 0 || isClean
          ? verdict.issues
          : [fileIssue("File continues after the end of its gzip")];
      const facts = { gzipSha256, jsonlSha256: verdict.jsonlSha256, records: verdict.records };
      if (issues.length > 0) {
        await rm(part);
        return { ...facts, bytes, issues, diskName: null };
      }
      return { ...facts, bytes, issues, diskName: await this.#keep(part, incoming.fileKey) };
    } catch (error) {
      await rm(part, { force: true });
      throw error;
    }
  }

  /** Writes the records of an upload-json, already checked, as the same kind of file. */
  async write(fileKey: string, records: readonly unknown[]): Promise<Content> {
    const jsonl = records.map((record) => `${JSON.stringify(record)}\n`).join("");
    const part = this.path(`${randomUUID()}.part`);
    const file = await open(part, "wx", 0o600);
    try {
      await file.writeFile(await compress(jsonl, { level: 1 }));
      await file.datasync();
    } finally {
      await file.close();
    }
    return {
      diskName: await this.#keep(part, fileKey),
      gzipSha256: null,
      jsonlSha256: signatureSha256(jsonl),
      records: records.length,
      bytes: Buffer.byteLength(jsonl),
      issues: [],
    };
  }

  /** Removes a file that no upload refers to any more. */
  async remove(diskName: string): Promise<void> {
    await rm(this.path(diskName), { force: true });
  }

  async #keep(part: string, fileKey: string): Promise<string> {
    const diskName = `${signatureSha256(fileKey)}.${randomUUID()}.jsonl.gz`;
    await rename(part, this.path(diskName));
    await using folder = await open(this.#folder);
    await folder.sync();
    return diskName;
  }
}

async function writeAndCheck(
  part: string,
  incoming: IncomingFile,
): Promise<{ gzipSha256: string; bytes: number; verdict: FileVerdict }> {
  const file = await open(part, "wx", 0o600);
  const check = new FileCheck(incoming.stream);
  const hash = createHash("sha256");
  let bytes = 0;
  try {
    for await (const chunk of incoming.body) {
      bytes += chunk.length;
      hash.update(chunk);
      await Promise.all([file.appendFile(chunk), check.write(chunk)]);
    }
    await file.datasync();
    return { gzipSha256: hash.digest("hex"), bytes, verdict: await check.end() };
  } finally {
    check.abandon();
    await file.close();
  }
}

/**
 * zlib ignores whatever follows a zero byte after the last member; tape-like padding is zeros to the end,
 * garbage is not.
 */
async function holdsOnlyZeros(
  path: string,
  range: { readonly start: number; readonly end: number },
): Promise<boolean> {
  if (range.start >= range.end) return true;
  const rest = createReadStream(path, { start: range.start, end: range.end - 1 });
  for await (const chunk of rest as AsyncIterable<Buffer>) {
    if (chunk.some((byte) => byte !== 0)) return false;
  }
  return true;
}
