import { execFileSync } from "node:child_process";
import { createServer } from "node:net";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

import { describe, expect, it } from "vitest";

import { openFile } from "../../../connectors/csv/open.ts";
import { ConfigError } from "../../../src/errors.ts";
import { withFolder } from "./support.ts";

async function refusalOf(path: string, appendOnly = false): Promise<string> {
  const error = await openFile({ place: "a.csv", path }, appendOnly).catch(
    (caught: unknown) => caught,
  );
  expect(error).toBeInstanceOf(ConfigError);
  return error instanceof ConfigError ? error.message : "";
}

describe("openFile", () => {
  it("refuses a folder", async () => {
    await withFolder({}, async (folder) => {
      expect(await refusalOf(folder)).toBe("a.csv is a folder, not a file");
    });
  });

  it("refuses a FIFO without waiting for a writer", async () => {
    await withFolder({}, async (folder) => {
      execFileSync("/usr/bin/env", ["mkfifo", join(folder, "fifo")]);
      expect(await refusalOf(join(folder, "fifo"))).toBe("a.csv is a FIFO, not a file");
    });
  });

  it("refuses a device", async () => {
    expect(await refusalOf("/dev/zero")).toBe("a.csv is a device, not a file");
  });

  it("refuses a socket", async () => {
    await withFolder({}, async (folder) => {
      const server = createServer();
      await new Promise<void>((resolve) => {
        server.listen(join(folder, "s"), resolve);
      });
      expect(await refusalOf(join(folder, "s"))).toBe("a.csv is a socket or a device");
      server.close();
    });
  });

  it("refuses a zip archive", async () => {
    await withFolder({ "a.csv": "PK\u0003\u0004\u0014" }, async (folder) => {
      const message = await refusalOf(join(folder, "a.csv"));
      expect(message).toBe("a.csv is a zip archive, as an .xlsx workbook is too");
    });
  });

  it("refuses a gzip file as append-only", async () => {
    await withFolder({ "a.csv": gzipSync("id\n") }, async (folder) => {
      const message = await refusalOf(join(folder, "a.csv"), true);
      expect(message).toBe("a.csv is a gzip file, which cannot be read as append-only");
    });
  });

  it("refuses a file that is not there", async () => {
    await withFolder({}, async (folder) => {
      expect(await refusalOf(join(folder, "a.csv"))).toBe("a.csv does not exist");
    });
  });
});
