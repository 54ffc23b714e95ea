import { join } from "node:path";

import { Ledger, type LedgerEntry } from "../ledger.ts";
import type { SandboxStream } from "../schemas.ts";
import { UploadFiles } from "./upload-files.ts";
import type { Upload } from "./upload.ts";

/** A confirmed upload whose records are visible. */
export type Applied = {
  readonly fileKey: string;
  readonly stream: SandboxStream;
  readonly diskName: string;
};

/** The uploads in memory, in the state that the ledger's lines describe. */
class Uploads {
  readonly #byKey = new Map<string, Upload>();
  readonly applied: Applied[] = [];

  get(fileKey: string): Upload | undefined {
    return this.#byKey.get(fileKey);
  }

  /** Takes the newest state; a confirmed upload no longer changes, and is applied each time it comes. */
  set(upload: Upload): void {
    this.#byKey.set(upload.fileKey, upload);
    const diskName = upload.content?.diskName ?? null;
    if (upload.isConfirmed && diskName !== null) {
      this.applied.push({ fileKey: upload.fileKey, stream: upload.stream, diskName });
    }
  }

  diskNames(): ReadonlySet<string> {
    const names = [...this.#byKey.values()].map((upload) => upload.content?.diskName);
    return new Set(names.filter((name) => typeof name === "string"));
  }
}

/** The effects of a request: its line in the ledger, its upload's new state, and a file that is no longer needed. */
export type Deed = {
  readonly entry: LedgerEntry;
  readonly upload?: Upload | undefined;
  readonly obsolete?: string | null | undefined;
};

/** The uploads: their state in memory, their bytes in files, and everything in the ledger that a start replays. */
export class UploadStore {
  readonly files: UploadFiles;
  readonly #uploads: Uploads;
  readonly #ledger: Ledger;

  private constructor(parts: { files: UploadFiles; uploads: Uploads; ledger: Ledger }) {
    this.files = parts.files;
    this.#uploads = parts.uploads;
    this.#ledger = parts.ledger;
  }

  /** Rebuilds the state after the last answer. */
  static async open(dataFolder: string): Promise<UploadStore> {
    const uploads = new Uploads();
    const ledger = await Ledger.open(join(dataFolder, "ledger.jsonl"), ({ upload }) => {
      if (upload !== undefined) uploads.set(upload);
    });
    const files = await UploadFiles.open(join(dataFolder, "uploads"), uploads.diskNames());
    return new UploadStore({ files, uploads, ledger });
  }

  /** The accepted uploads in the order in which they were confirmed; it only grows. */
  get applied(): readonly Applied[] {
    return this.#uploads.applied;
  }

  /** The upload of a file key, whoever owns it. */
  get(fileKey: string): Upload | undefined {
    return this.#uploads.get(fileKey);
  }

  /**
   * Carries out a deed: at once in memory, so that the decision just before still holds; resolves when it is on disk
   * too.
   */
  async commit({ entry, upload, obsolete }: Deed): Promise<void> {
    if (upload !== undefined) this.#uploads.set(upload);
    await this.#ledger.append({ entry, upload });
    if (typeof obsolete === "string") await this.files.remove(obsolete);
  }

  /** The ledger's entries as JSON lines. */
  entries(): AsyncGenerator<string> {
    return this.#ledger.entries();
  }

  /** Closes the ledger once its last line is written. */
  async close(): Promise<void> {
    await this.#ledger.close();
  }
}
