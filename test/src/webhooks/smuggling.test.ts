import { describe, expect, it } from "vitest";

import { exchange, requestOf, startTestReceiver, statusesOf } from "./support.ts";

const host = "Host: localhost";
const body = '[{"id":"a"}]';
const length = `Content-Length: ${body.length}`;
const chunks = `c\r\n${body}\r\n0\r\n\r\n`;

/** Bytes after the end of a request that try to pass as the next one: a second delivery. */
const smuggled = requestOf(body, host, length);

const attacks: Readonly<Record<string, string>> = {
  "Content-Length and Transfer-Encoding": requestOf(
    chunks,
    host,
    "Content-Length: 5",
    "Transfer-Encoding: chunked",
  ),
  "Transfer-Encoding and Content-Length": requestOf(
    chunks,
    host,
    "Transfer-Encoding: chunked",
    "Content-Length: 5",
  ),
  "two Transfer-Encodings": requestOf(
    chunks,
    host,
    "Transfer-Encoding: chunked",
    "Transfer-Encoding: identity",
  ),
  "two Transfer-Encodings, chunked last": requestOf(
    chunks,
    host,
    "Transfer-Encoding: cow",
    "Transfer-Encoding: chunked",
  ),
  "a Transfer-Encoding beside chunked": requestOf(chunks, host, "Transfer-Encoding: gzip, chunked"),
  "a Transfer-Encoding that is not chunked": requestOf(chunks, host, "Transfer-Encoding: xchunked"),
  "a Transfer-Encoding with a tab": requestOf(chunks, host, "Transfer-Encoding: \x0bchunked"),
  "a Transfer-Encoding in HTTP/1.0": requestOf(chunks, host, "Transfer-Encoding: chunked").replace(
    "1.1",
    "1.0",
  ),
  "two Content-Lengths": requestOf(body, host, length, "Content-Length: 5"),
  "the same Content-Length twice": requestOf(body, host, length, length),
  "a list of Content-Lengths": requestOf(body, host, `${length}, ${body.length}`),
  "a Content-Length with a sign": requestOf(body, host, `Content-Length: +${body.length}`),
  "a negative Content-Length": requestOf(body, host, "Content-Length: -1"),
  "a Content-Length in hex": requestOf(body, host, "Content-Length: 0xc"),
  "a space before the colon": requestOf(body, host, `Content-Length : ${body.length}`),
  "lines that end with LF only": requestOf(body, host, length).replaceAll("\r\n", "\n"),
  "one line that ends with LF only": requestOf(body, `${host}\n${length}`),
  "a folded line": requestOf(body, host, "X-Folded: a", " b", length),
  "NUL in a value": requestOf(body, host, "X-Nul: a\0b", length),
  "NUL in a name": requestOf(body, host, "X-N\0ul: a", length),
  "CR alone in a value": requestOf(body, host, "X-Cr: a\rContent-Length: 0", length),
  "two Hosts": requestOf(body, host, "Host: other", length),
  "the same Host twice": requestOf(body, host, host, length),
  "no Host": requestOf(body, length),
  "a chunk size with a sign": requestOf(`+${chunks}`, host, "Transfer-Encoding: chunked"),
  "a chunk size that is too large": requestOf(
    `fffffffffffffffff${chunks}`,
    host,
    "Transfer-Encoding: chunked",
  ),
  "a chunk that is longer than its size": requestOf(
    `5\r\n${body}\r\n0\r\n\r\n`,
    host,
    "Transfer-Encoding: chunked",
  ),
};

describe("a request that two servers may read in two ways (T15)", () => {
  it("is refused and ends its connection", async () => {
    const receiver = await startTestReceiver();
    for (const [what, attack] of Object.entries(attacks)) {
      const text = await exchange(receiver, attack + smuggled);
      const isMalformed = text.includes('{"error":{"code":"malformed"');
      const closes = text.toLowerCase().includes("connection: close");
      const told = { statuses: statusesOf(text), isMalformed, closes };
      expect({ what, ...told }).toEqual({ what, statuses: [400], isMalformed: true, closes: true });
    }
    expect(await receiver.inbox.backlogs()).toEqual([]);
  });
});
