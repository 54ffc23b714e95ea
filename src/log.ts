import { pino, type Logger } from "pino";
import pretty from "pino-pretty";

import { plainJson, plainText } from "./text/plain-text.ts";

function asPlainJson(line: string): string {
  return `${plainJson(JSON.parse(line))}\n`;
}

/** A line of JSON with every text in it made plain. */
function withPlainTexts(line: string): string {
  const plain = JSON.stringify(JSON.parse(line), (_, value: unknown) =>
    typeof value === "string" ? plainText(value) : value,
  );
  return `${plain}\n`;
}

/**
 * Writes log lines to stderr: for a person, or one JSON object a line. Nothing of a row and no secret belongs
 * in one; names of files and columns do, and must neither begin a line that looks like ours nor steer the
 * reader's terminal.
 */
export function createLog(format: "text" | "json"): Logger {
  const options = { level: "info", base: null } as const;
  if (format === "json") {
    return pino(
      { ...options, hooks: { streamWrite: asPlainJson } },
      pino.destination({ fd: 2, sync: true }),
    );
  }
  const stream = pretty({
    destination: 2,
    sync: true,
    colorize: process.stderr.isTTY,
    translateTime: "SYS:HH:MM:ss",
    ignore: "pid,hostname",
    singleLine: true,
  });
  return pino({ ...options, hooks: { streamWrite: withPlainTexts } }, stream);
}
