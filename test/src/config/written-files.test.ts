import { describe, expect, it } from "vitest";

import { load, problemsOf } from "./support.ts";

/** A pull that writes this file. */
function pullTo(file: string): string {
  return `    accounts: {}
    write_back: { connection: exports, file: ${file}, key: { id: mk_id }, set: { fit: name } }
`;
}

/** Two pulls that write these files. */
function yamlOf(first: string, second: string): string {
  return `version: 1
api: { api_key: abc123 }
connections:
  exports: { connector: table, url: u }
syncs: {}
pulls:
  scores:
${pullTo(first)}  names:
${pullTo(second)}`;
}

describe("writtenFileMistakes", () => {
  it.each(["scores.csv", "./scores.csv", "out/../scores.csv"])(
    "refuses a second pull into the file scores.csv, by the name %s too",
    async (second) => {
      expect(await problemsOf(yamlOf("scores.csv", second))).toEqual([
        "12:46: pull scores writes this file: give each pull one of its own",
      ]);
    },
  );

  it("takes a file for each", async () => {
    const { pulls } = await load({ files: { "sluice.yaml": yamlOf("scores.csv", "names.csv") } });
    expect([...pulls.keys()]).toEqual(["scores", "names"]);
  });
});
