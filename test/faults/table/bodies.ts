import { answering, pouring, startRaw } from "../../support/raw-server.ts";
import { says, type Case } from "../play/cell.ts";

/** The time after which a dripping answer is abandoned; that to a PUT is accepted once its head has come in time. */
const short = { requestMs: 1_000, headersMs: 900, putBaseMs: 6_000, putHeadersMs: 5_000 };

const unread = { none: "the answer to a PUT has no body that counts" };

const garbage = ["SSH-2.0-OpenSSH_9.2\r\n", "HTTP/1.1 200 OK\r\nno header at all\r\n\r\n"];

/** More than undici accepts. */
const hugeHeaders = `HTTP/1.1 200 OK\r\n${"x-padding: ".padEnd(20_000, "x")}\r\n\r\n`;

const twoLengths =
  "HTTP/1.1 200 OK\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n";

/** Rows 20, 21 and 31 to 36: a 200, and then its body. */
export const bodies: readonly Case[] = [
  ...(["html", "not-json"] as const).map((garble) => ({
    row: 20,
    fault: `answered 200 with ${garble === "html" ? "a page" : "half a JSON"}`,
    meets: { action: { garble } },
    isApplied: true,
    says: says("AMB x3", { generate: "RT x3", put: "OK", search: "AMB x2" }),
  })),
  {
    row: 20,
    fault: "answered 200 with nothing",
    meets: { action: { status: 200, body: "" } },
    says: says("AMB x3", {
      generate: "RT x3",
      put: { none: "an empty answer is what a PUT gets" },
      search: "AMB x2",
    }),
  },
  {
    row: 21,
    fault: "answered 200 with a JSON of another shape",
    meets: { action: { garble: "wrong-json" } },
    isApplied: true,
    says: says("AMB x3", { generate: "RT x3", put: unread, search: "AMB x2" }),
  },
  {
    row: 31,
    fault: "answered byte by byte",
    meets: { action: { dripMs: 50 }, timeouts: short },
    isApplied: true,
    times: 2,
    says: says("AMB", { generate: "RT", put: "OK" }),
  },
  {
    row: 32,
    fault: "answered with less than the length told",
    meets: { action: { cutAt: 10, framing: "length" } },
    isApplied: true,
    says: says("AMB", { generate: "RT", put: "OK" }),
  },
  {
    row: 33,
    fault: "answered with less, and nothing that tells the length",
    meets: { action: { cutAt: 10, framing: "close" } },
    isApplied: true,
    // Stricter than the table for confirm, json and a page: nothing distinguishes it from row 20.
    says: says("AMB x3", { generate: "RT x3", put: "OK", search: "AMB x2" }),
  },
  {
    row: 34,
    fault: "answered in part, then never",
    meets: { action: { stallAt: 5 }, timeouts: short },
    isApplied: true,
    times: 2,
    says: says("AMB", { generate: "RT", put: "OK" }),
  },
  {
    row: 35,
    fault: "answered without end",
    meets: { server: async () => await startRaw(pouring("HTTP/1.1 200 OK\r\n\r\n")) },
    says: says("SC", { search: "SP" }),
  },
  ...[hugeHeaders, ...garbage, twoLengths].map((bytes) => ({
    row: 36,
    fault: `answered with ${bytes.length > 1_000 ? "huge headers" : JSON.stringify(bytes)}`,
    meets: { server: async () => await startRaw(answering(bytes)) },
    says: says("AMB", { generate: "RT x3", put: "RG x3", search: "AMB x3" }),
  })),
];
