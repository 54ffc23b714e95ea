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
 * Writes log lines to stderr: as text for a person, or as one JSON object per line. A line must not hold row data or a
 * secret. It may hold names of files and columns, which must neither begin a line that looks like ours nor steer the
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
