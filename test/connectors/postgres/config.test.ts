import { describe, expect, it } from "vitest";

import { postgresConfig } from "../../../connectors/postgres/config.ts";
import { addressOf, passwordOf } from "../../../src/postgres/address.ts";

const url = "postgres://reader:hush@db.example:6543/crm";

/** The problems of some members: path and message of each. */
function problemsOf(members: object): readonly string[] {
  const { error } = postgresConfig.safeParse(members);
  return (error?.issues ?? []).map(({ path, message }) => `${path.join(".")}: ${message}`);
}

describe("postgresConfig", () => {
  it("fills in what is not said", () => {
    expect(postgresConfig.parse({ url })).toMatchObject({
      statement_timeout: 300_000,
      insert: true,
    });
  });

  it.each([
    ["no place", {}, "url: say where"],
    ["no user", { host: "db" }, "user: say who"],
    ["two ways to say one thing", { url, port: 1 }, "port: the url says this already"],
    ["another kind of URL", { url: "mysql://u@h/d" }, "url: not a URL such as"],
    ["no URL", { url: "db.example" }, "url: not a URL such as"],
    [
      "an @ and a / in the password",
      { url: "postgres://u:hush@hush/w@h/d" },
      "url: the URL has an @",
    ],
    ["a URL without a user", { url: "postgres://h/d" }, "url: the URL names no user"],
    ["a URL without a host", { url: "postgres://u@/d" }, "url: "],
    ["a % of its own", { url: "postgres://u:hush%zz@h/d" }, "url: the URL has a %"],
    [
      "an unknown parameter",
      { url: `${url}?fallback=1` },
      'url: the URL has the parameter "fallback"',
    ],
    [
      "an sslmode that may be talked out of TLS",
      { url: `${url}?sslmode=prefer` },
      "url: the URL's sslmode is not one of",
    ],
    [
      "a connect_timeout of none",
      { url: `${url}?connect_timeout=0` },
      "url: the URL's connect_timeout is not a number of seconds from 1 to 99",
    ],
    [
      "a table and a query",
      { url, table: "t", query: "select 1" },
      "query: there is a table already",
    ],
    ["a long name", { url, table: "a".repeat(64) }, "table: a table: "],
    ["a long column", { url, key: ["a".repeat(64)] }, "key.0: this name has 64 bytes"],
    ["a column twice", { url, key: ["a", "a"] }, "key: a column is here twice"],
    [
      "a timeout of more than a day",
      { url, statement_timeout: "25h" },
      "statement_timeout: at most 24h",
    ],
    ["a certificate without TLS", { url, tls: "off", ca_file: "ca.pem" }, "ca_file: without TLS"],
    [
      "TLS on a socket",
      { host: "/run/postgresql", user: "u", tls: "require" },
      "tls: a Unix socket",
    ],
  ])("refuses %s", (_, members, problem) => {
    expect(problemsOf(members).join("\n")).toContain(problem);
    expect(problemsOf(members).join("\n")).not.toMatch(/hush/);
  });
});

describe("addressOf", () => {
  it("takes a URL apart", () => {
    const config = postgresConfig.parse({ url: "postgresql://me%40x:w%2Frd@[::1]/my%20db" });
    expect(addressOf(config)).toEqual({
      host: "::1",
      port: 5432,
      database: "my db",
      user: "me@x",
      tls: "off",
    });
    expect(passwordOf(config)).toBe("w/rd");
  });

  it("puts the members together", () => {
    const config = postgresConfig.parse({
      host: "db.example",
      port: 6543,
      user: "me",
      password: "word",
    });
    expect(addressOf(config)).toEqual({
      host: "db.example",
      port: 6543,
      database: "me",
      user: "me",
      tls: "verify-full",
    });
    expect(passwordOf(config)).toBe("word");
  });

  it.each([
    ["postgres://u@db.example/d", {}, "verify-full"],
    ["postgres://u@127.0.0.2/d", {}, "off"],
    ["postgres://u@localhost/d", {}, "off"],
    ["postgres://u@localhost.example/d", {}, "verify-full"],
    ["postgres://u@localhost/d", { ca_file: "ca.pem" }, "verify-full"],
    ["postgres://u@h/d?host=/run/postgresql", {}, "off"],
    ["postgres://u@db.example/d?sslmode=require", {}, "require"],
    ["postgres://u@db.example/d?sslmode=require", { tls: "verify-full" }, "verify-full"],
    ["postgres://u@db.example/d?sslmode=disable&channel_binding=require", {}, "off"],
  ])("speaks to %s with %j in the mode %s", (at, members, tls) => {
    expect(addressOf(postgresConfig.parse({ url: at, ...members })).tls).toBe(tls);
  });
});
