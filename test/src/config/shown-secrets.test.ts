import { inspect } from "node:util";

import { describe, expect, it } from "vitest";

import { ConfigError } from "../../../src/errors.ts";
import { changed, loadYaml, refusal } from "./support.ts";

describe("loadConfig on mistakes", () => {
  it("shows no literal secret in the lines around a mistake", async () => {
    const yaml = changed("api:\n  api_key: abc123", "api: { api_key: abc123, acount: x }");
    const message = await refusal(loadYaml(yaml));
    expect(message).toContain("api: { api_key: ******, acount: x }");
  });

  it.each([
    [
      "{ api_key: x, api_key:hunter2 }",
      'unknown member "api_key": a colon and a blank belong between',
    ],
    ["{ api_key=hunter2 }", 'unknown member "api_key": a colon and a blank belong between'],
    ['{ "api_key hunter2": x }', 'unknown member "api_key": a colon and a blank belong between'],
    ["{ api_key:hunter2: 1, api_key:hunter2: 2 }", "this name is here twice"],
    ["{ api_key: !hunter2 }", "a text that begins with ! needs quotes"],
    ["{ api_key: *hunter2 }", "a text that begins with * needs quotes"],
    ["{ api_key: &hunter2, acount: x }", 'unknown member "acount"'],
    ["{ secrets: [hunter2, a-hunter2] }", 'unknown member "secrets"'],
    ["{ api_key: x, base_url: 'https://u:p@x/hunter2@host/x' }", "has user info"],
    ["{ api_key: |hunter2 }", "plain value cannot start with block scalar indicator |"],
    ["\n  api_key: |hunter2", "block scalar header includes extra characters"],
    ["{ api_key: x }\nnotify: { url: https://h.example/hunter2, format: slak }", "must be one of"],
  ])("shows no secret, with api: %s", async (api, fault) => {
    const loading = loadYaml(changed("api:\n  api_key: abc123", `api: ${api}`));
    const error: unknown = await loading.catch((refused: unknown) => refused);
    expect(error).toBeInstanceOf(ConfigError);
    expect(error).toMatchObject({ message: expect.stringContaining(fault) as unknown });
    expect(inspect(error)).not.toContain("hunter2");
  });
});
