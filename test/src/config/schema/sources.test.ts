import { describe, expect, it } from "vitest";

import { changed, loadYaml, problemsOf, soundYaml } from "../support.ts";

const exportsConnection = "{ connector: file, path: ./a.csv }";

describe("resolveSources", () => {
  it("lays the members of from over those of the connection", async () => {
    const yaml = changed(
      "from: exports",
      "from: { connection: exports, path: ./b.csv, quote: false }",
    );
    const { syncs, connections, folder } = await loadYaml(yaml);
    expect(syncs.get("accounts")?.connectorConfig).toEqual({
      path: "./b.csv",
      quote: false,
      folder,
    });
    expect(connections.get("exports")?.config).toEqual({ path: "./a.csv", folder });
  });

  it("takes names that every object has for names like any other", async () => {
    const yaml = changed("exports:", "constructor:").replace("from: exports", "from: constructor");
    expect((await loadYaml(yaml)).syncs.get("accounts")?.connection).toBe("constructor");
  });

  it.each([
    [changed(exportsConnection, "{ connector: file }"), '5:3: "path" is missing'],
    [changed(exportsConnection, "{ path: ./a.csv }"), '5:3: "connector" is missing'],
    [
      changed(exportsConnection, "[]"),
      "5:3: must be a mapping such as { name: value }, not a list",
    ],
    [
      changed("connector: file", "connector: flie"),
      '5:25: no connector has this name (did you mean "file"?); there are file, table',
    ],
    [
      changed("connector: file", "connector: ./mine.ts"),
      "5:25: no connector has this name; there are file, table",
    ],
    [
      changed("connector: file", "connector: toString"),
      "5:25: no connector has this name; there are file, table",
    ],
    [
      changed("./a.csv", "./a.csv, delimitr: x"),
      '5:46: unknown member "delimitr" (did you mean "delimiter"?)',
    ],
    [
      changed("./a.csv", "./a.csv, folder: /"),
      '5:46: unknown member "folder": relative paths start from the folder of this file',
    ],
    [changed("./a.csv", "./a.csv, quote: no!"), "5:53: must be one character"],
    [
      changed("from: exports", "from: export"),
      '8:11: no connection has this name (did you mean "exports"?)',
    ],
    [changed("from: exports", 'from: "__proto__"'), "8:11: no connection has this name"],
    [changed("from: exports", "from: toString"), "8:11: no connection has this name"],
    [changed("from: exports", "from: { connection: none }"), "8:25: no connection has this name"],
    [changed("from: exports", "from: { path: b }"), '8:5: "connection" is missing'],
    [
      changed("from: exports", "from: [exports]"),
      "8:5: must be text or a mapping such as { name: value }, not a list",
    ],
    [
      changed("from: exports", "from: { connection: exports, path: 7 }"),
      "8:40: must be text, not a number",
    ],
    [
      changed("from: exports", "from: { connection: exports, folder: x }"),
      '8:34: unknown member "folder": relative paths start from the folder of this file',
    ],
  ])("refuses mistake %#", async (yaml, problem) => {
    expect(await problemsOf(yaml)).toEqual([problem]);
  });

  it("says a mistake of a connection once, however many syncs read it", async () => {
    const sync = soundYaml.slice(soundYaml.indexOf("    from:"));
    const yaml = `${changed("./a.csv", "7")}  more:\n${sync}`;
    expect(await problemsOf(yaml)).toEqual(["5:37: must be text, not a number"]);
  });

  it("says once that a variable is missing that decides what is read", async () => {
    const yaml = changed("from: exports", "from: ${SOURCE}");
    expect(await problemsOf(yaml)).toEqual(["8:11: variable SOURCE is not set"]);
  });
});
