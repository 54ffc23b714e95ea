import { describe, expect, it } from "vitest";

import { changed, load, problemsOf } from "../support.ts";

const mapping = "{ account_id: id, domain: site, account_properties: {} }";

describe("readNamedFiles", () => {
  it("reads the key's file from the folder of the configuration", async () => {
    const yaml = changed("api_key: abc123", "api_key_file: keys/prod");
    const { api } = await load({ files: { "sluice.yaml": yaml, "keys/prod": " from-file\n" } });
    expect(api.apiKey.reveal()).toBe("from-file");
    expect(api.apiKeySource).toBe("keys/prod");
  });

  it.each([
    [
      changed("api_key: abc123", "api_key_file: keys/none"),
      "3:17: cannot read keys/none: there is no such file",
    ],
    [changed("api_key: abc123", "api_key_file: ."), "3:17: cannot read .: it is a folder"],
    [
      changed("api_key: abc123", "api_key_file: sluice.yaml"),
      "3:17: sluice.yaml must be printable ASCII without blanks",
    ],
    [changed(mapping, "./none.ts"), "10:13: cannot read this module: there is no such file"],
    [changed(mapping, "./map.py"), "10:13: must end in .ts, .js or .mjs"],
  ])("refuses mistake %#", async (yaml, problem) => {
    expect(await problemsOf(yaml)).toEqual([problem]);
  });
});
