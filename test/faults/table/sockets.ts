import { unsafeUrls } from "../../../src/sandbox/faults/fault-kinds.ts";
import { startSelfSigned, startServer } from "../../src/api/support.ts";
import { expired, otherHost } from "../../support/certificates.ts";
import { blackHole, cutHandshake, refusing, startRaw, startTls } from "../../support/raw-server.ts";
import { says, type Case, type Says } from "../play/cell.ts";

/** The time after which a silent server is abandoned; by then it has done what was requested, on a busy machine too. */
const short = { requestMs: 2_000, headersMs: 1_900, putBaseMs: 2_000, putHeadersMs: 1_900 };

const ofGenerate = { none: "an upload address is the answer to a generate" };
const ofStorage = { none: "only a PUT sends a file" };
const ofConfirm = { none: "only a confirm names a file" };

const large: Says = { shownBy: "test/faults/large-file.prove.ts" };

const connections: readonly Case[] = [
  {
    row: 23,
    fault: "refused at connect",
    meets: { server: refusing },
    says: says("RT", { put: "RG" }),
  },
  {
    row: 24,
    fault: "read, then the connection closed without an answer",
    meets: { action: { dropRequest: true } },
    says: says("AMB", { generate: "RT", put: "RG" }),
  },
  {
    row: 25,
    fault: "cut after 10 bytes of its body",
    meets: { action: { resetAt: 10 } },
    says: says("AMB", { generate: "RT", put: "RG" }),
  },
  {
    row: 27,
    fault: "lost in a black hole at connect",
    meets: { server: blackHole, timeouts: { connectMs: 200 } },
    times: 1,
    says: says("RT", { put: "RG" }),
  },
  {
    row: 28,
    fault: "cut off in the TLS handshake",
    meets: { server: async () => await secure(await startRaw(cutHandshake)) },
    says: says("AMB", { generate: "RT", put: "RG" }),
  },
  {
    row: 29,
    fault: "done and never answered",
    meets: { action: { noAnswer: true }, timeouts: short },
    isApplied: true,
    times: 2,
    says: says("AMB", { generate: "RT", put: "RG" }),
  },
  {
    row: 30,
    fault: "not read to its end",
    meets: { action: { stopReadingAt: 10 }, timeouts: short },
    times: 2,
    says: says({ none: "its body fits into the first packet" }, { put: "RG", json: "AMB" }),
  },
  {
    row: 37,
    fault: "done, and its answer lost",
    meets: { action: { dropReply: true } },
    isApplied: true,
    says: says("AMB", { generate: "RT", put: "RG" }),
  },
  {
    row: 38,
    fault: "done by a service that does a repeated one again, and its answer lost",
    meets: { action: { dropReply: true } },
    isApplied: true,
    sandbox: { confirms: "strict" },
    says: says(ofConfirm, {
      confirm: "AMB",
      json: { none: "an upload-json is always done again: row 37" },
      search: { none: "a page is always paid for again: row 37" },
    }),
  },
  {
    row: 48,
    fault: "answered 200 before its file was read",
    meets: { action: { early200: "close" } },
    says: says(ofStorage, { put: large }),
  },
];

async function secure(url: URL): Promise<URL> {
  return new URL(`https://${url.host}`);
}

const distrusted: readonly (readonly [string, () => Promise<URL>])[] = [
  ["a certificate that nobody vouches for", async () => (await startSelfSigned()).url],
  ["a certificate that has expired", async () => await startTls(expired)],
  ["a certificate of another host", async () => await startTls(otherHost)],
  ["no TLS", async () => await secure((await startServer((response) => response.end())).url)],
];

const addresses: readonly Case[] = [
  // Not other-host: nobody can know beforehand where a service stores its files.
  ...unsafeUrls
    .filter((url) => url !== "other-host")
    .map((unsafeUrl) => ({
      row: 39,
      fault: `answered with an address that is unsafe: ${unsafeUrl}`,
      meets: { action: { unsafeUrl } },
      says: says(ofGenerate, { generate: "SC" }),
    })),
  {
    row: 39,
    fault: "answered with an address that has expired by the answer's own clock",
    meets: {
      action: {
        status: 200,
        body: { upload_url: "http://127.0.0.1:9/put?expires=1000000000", file_key: "uploads/1" },
      },
    },
    says: says(ofGenerate, { generate: "RT x3" }),
  },
  {
    row: 39,
    fault: "sent to an address that has expired meanwhile",
    meets: { action: { expireUrl: true } },
    says: says(ofStorage, { put: "RG x3" }),
  },
];

const hours = 3_600_000;

const clocks: readonly Case[] = [2, -2].map((off) => ({
  row: 40,
  fault: `answered 429 with a date, our clock ${Math.abs(off)} h ${off > 0 ? "ahead" : "behind"}`,
  meets: {
    action: {
      status: 429,
      headers: {
        date: "Thu, 01 Jan 2026 00:00:00 GMT",
        "retry-after": "Thu, 01 Jan 2026 00:02:00 GMT",
      },
    },
  },
  clockMs: off * hours,
  says: says({ wait: [120_000, 120_000] }),
}));

/** Rows 23 to 30, 37 to 40 and 48: faults of connections, addresses and clocks. */
export const sockets: readonly Case[] = [...connections, ...addresses, ...clocks];

/** Row 28: these need an authority of their own. */
export const certificates: readonly Case[] = distrusted.map(([what, server]) => ({
  row: 28,
  fault: `met by a server with ${what}`,
  meets: { server },
  says: says("SC setting", { put: "SC" }),
}));
