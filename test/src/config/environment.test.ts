import { describe, expect, it } from "vitest";

import { readEnvironment } from "../../../src/config/environment.ts";
import { ConfigError } from "../../../src/errors.ts";

describe("readEnvironment", () => {
  it("has a default for everything that is unset or empty", () => {
    const variables = { SLUICE_HOST: "", SLUICE_LOG_FORMAT: "", NO_COLOR: "", CI: "" };
    expect(readEnvironment(variables)).toEqual({
      host: "127.0.0.1",
      logFormat: "text",
      proxy: undefined,
      isCi: false,
      temporalAddress: undefined,
      temporalCache: undefined,
      variables,
    });
  });

  it("reads every variable", () => {
    const variables = {
      SLUICE_HOST: "0.0.0.0",
      SLUICE_LOG_FORMAT: "json",
      NO_COLOR: "1",
      CI: "true",
      TEMPORAL_ADDRESS: "temporal:7233",
      SLUICE_TEMPORAL_CACHE: "/cache",
      https_proxy: "http://proxy:3128",
      NO_PROXY: "internal",
    };
    expect(readEnvironment(variables)).toEqual({
      host: "0.0.0.0",
      logFormat: "json",
      proxy: { httpProxy: undefined, httpsProxy: "http://proxy:3128", noProxy: "internal" },
      isCi: true,
      temporalAddress: "temporal:7233",
      temporalCache: "/cache",
      variables,
    });
  });

  it.each(["0", "false"])("takes CI=%s for a place where someone watches", (ci) => {
    expect(readEnvironment({ CI: ci }).isCi).toBe(false);
  });

  it("reads the process's own environment", () => {
    expect(readEnvironment().variables["PATH"]).toBe(process.env["PATH"]);
  });

  it("refuses a log format that it does not know", () => {
    expect(() => readEnvironment({ SLUICE_LOG_FORMAT: "xml" })).toThrow(
      new ConfigError("SLUICE_LOG_FORMAT must be text or json", { field: "SLUICE_LOG_FORMAT" }),
    );
  });
});
