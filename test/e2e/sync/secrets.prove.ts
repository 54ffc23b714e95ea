import { describe, expect, it, onTestFinished } from "vitest";

import { accountsConfig, Project } from "../../support/project/project.ts";

const canaries = [
  "canary-api-key",
  "CANARY-KEY",
  "CANARY-CELL",
  "signature=",
  "expires=",
  "_storage",
];

/** Twelve accounts with marked keys and cells. */
function markedCsv(domain: (row: number) => string): string {
  const lines = Array.from(
    { length: 12 },
    (_, row) => `CANARY-KEY-${row},${domain(row)},CANARY-CELL ${row},${row}`,
  );
  return ["id,domain,name,employees", ...lines, ""].join("\n");
}

describe("what Temporal is told (T11)", () => {
  it("holds no row, key, secret or signed address, however a run ends", async () => {
    const project = await Project.start(onTestFinished, {
      "sluice.yaml": accountsConfig({ sync: "mode: heavyweight" }),
      "accounts.csv": markedCsv((row) => (row === 3 ? "CANARY-CELL" : `c${row}.example`)),
    });
    await project.worker();
    const { sandbox } = project;
    sandbox.order({ step: "put", do: { expireUrl: true } });
    sandbox.order({ step: "put", do: { status: 403 } });
    // The part is cut before the named record, and what is behind the cut is refused once more.
    for (const [index, after] of [
      [2, 0],
      [0, 2],
    ] as const) {
      const said = { msg: "CANARY-CELL is wrong", type: "x", input: "CANARY-CELL" };
      const detail = [{ loc: ["file", index, "domain"], ...said }];
      sandbox.order({ step: "confirm-upload", after, do: { status: 422, body: { detail } } });
    }
    const fixed = await (await project.start({ sync: "accounts" })).result();
    expect(fixed).toMatchObject({
      outcome: "done_with_rejects",
      counts: { sent: 10, rejected: 2 },
    });

    await project.write(
      "accounts.csv",
      markedCsv(() => "other.example"),
    );
    const message = "the key canary-api-key is not known";
    sandbox.order({ step: "generate-upload-url", do: { status: 401, body: { message } } });
    const refused = await project.start({ sync: "accounts" }, "refused");
    await expect(refused.result()).rejects.toThrow("failed");

    const texts = [
      ...(await project.histories("sync-under-test")),
      ...(await project.histories("refused")),
    ].map((text) => decoded(text));
    expect(texts).toHaveLength(2);
    expect(texts.join().includes("stageChunk")).toBe(true);
    for (const canary of canaries) {
      // The place is enough: a whole history does not help the reader of a failed test.
      expect({ canary, at: texts.map((text) => text.indexOf(canary)) }).toEqual({
        canary,
        at: [-1, -1],
      });
    }
    // Rows belong in the reject store, and the report must say what is wrong with the key's setting.
    const { stdout } = await project.sluice("rejects", "list", "--run", fixed.run_id);
    expect(stdout).toContain("./accounts.csv:4");
    expect(stdout).toContain("./accounts.csv:5");
    expect((await project.report()).error?.code).toBe("AuthFailed");
  });
});

/** A history's JSON with every base64 payload written out, so that nothing hides in one. */
function decoded(history: string): string {
  const payloads = [...history.matchAll(/"data":"([A-Za-z0-9+/=]+)"/g)];
  const texts = payloads.map(([, data = ""]) => Buffer.from(data, "base64").toString());
  return [history, ...texts].join("\n");
}
