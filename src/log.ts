import { pino, type Logger } from "pino";
import pretty from "pino-pretty";

/** Writes log lines to stderr: for a person, or one JSON object a line. Nothing of a row and no secret belongs in one. */
export function createLog(format: "text" | "json"): Logger {
  const options = { level: "info", base: null } as const;
  if (format === "json") return pino(options, pino.destination({ fd: 2, sync: true }));
  const stream = pretty({
    destination: 2,
    sync: true,
    colorize: process.stderr.isTTY,
    translateTime: "SYS:HH:MM:ss",
    ignore: "pid,hostname",
    singleLine: true,
  });
  return pino(options, stream);
}
