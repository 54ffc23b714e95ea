import { describe, expect, it } from "vitest";
import { parseDocument } from "yaml";

import { strikeOutSecrets } from "../../../../src/config/messages/shown-text.ts";

describe("strikeOutSecrets", () => {
  it.each([
    ["api_key: abc", "api_key: ***"],
    ['{ token: "a b", mode: auto }', "{ token: ** **, mode: auto }"],
    ["secret: |\n  one\n  two\nmode: x", "secret: *\n  ***\n  ***\nmode: x"],
    ["url: postgres://me:pass@db/x", "url: postgres://me:****@db/x"],
    ["secret: [abc, \"${NEW}\", 'a b']", 'secret: [***, "${NEW}", ** **]'],
    ["secret:\n  - abc\n  - def", "secret:\n  - ***\n  - ***"],
    ["key: [company, id]", "key: [company, id]"],
    ['password: "open', "password: *****"],
    ["api_key: ${KEY:-a}", "api_key: ${KEY:-a}"],
    ["url: postgres://me:${PASS}@db/x", "url: postgres://me:${PASS}@db/x"],
    ["api_key_file: a.txt", "api_key_file: a.txt"],
    ["duplicate_keys: send", "duplicate_keys: send"],
    ["apiKey: abc", "apiKey: ***"],
    ["{ path: /a, secert: abc }", "{ path: /a, secert: *** }"],
    ["api:\n  api_key:abc", "api:\n  api_key:***"],
    ["api_key:abc\nmode: x", "api_key:***\nmode: x"],
    ["api_key = abc\nmode: x", "api_key = ***\nmode: x"],
    ["api_key: abc: d\nmode: x", "api_key: **** *\nmode: x"],
    ["a: {\nkey: { mk_id: mk_id", "a: {\nkey: { mk_id: mk_id"],
    ["api_key:${KEY}", "api_key:${KEY}"],
    ["api_key: live-9f8e${X}", "api_key: *********${X}"],
    ['password: "${A}-${B:-b}"', 'password: "${A}*${B:-b}"'],
    ['{ password: "a$${x", usr: me }', "{ password: *******, usr: me }"],
    ["password: $${a}b", "password: ******"],
    ["password: ${a b}", "password: *** **"],
    ["url: postgres://me:a$${b@db/x", "url: postgres://me:*****@db/x"],
    ["api: { api_key: !Pass&w }", "api: { api_key: ******* }"],
    ["api_key: !Pass word", "api_key: ***** ****"],
    ["api: { api_key: *pass }", "api: { api_key: ***** }"],
    ["api: { api_key: &pass }", "api: { api_key: ***** }"],
    ["secret: [abc, !def, &ghi, *jkl]", "secret: [***, ****, ****, ****]"],
    ["secret: !abc [def]", "secret: **** [***]"],
    ["{ secrets: [abc, def], secert: [ghi] }", "{ secrets: [***, ***], secert: [***] }"],
    ["{ mode: x, api_key abc }", "{ mode: x, api_key *** }"],
    ["mode: x\napi_key abc", "mode: x\napi_key ***"],
    ["url: postgres://me:a@x/b@db/x", "url: postgres://me:*****@db/x"],
    [
      "notify: { url: https://h.example/a/b, on: [ }",
      "notify: { url: https://h.example/***, on: [ }",
    ],
    ["notfy:\n  - ulr: https://h.example/a", "notfy:\n  - ulr: https://h.example/*"],
    ["base_url: https://h.example/a/b", "base_url: https://h.example/a/b"],
    ["mode: [\napi_key: ab${X}c", "mode: [\napi_key: **${X}*"],
  ])("makes of %j %j", (text, shown) => {
    expect(strikeOutSecrets(parseDocument(text), text)).toBe(shown);
  });
});
