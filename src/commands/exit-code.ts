import { CommanderError } from "commander";

import {
  ApiUnavailableError,
  OutcomeUnknownError,
  SluiceError,
  TemporalUnreachableError,
} from "../errors.ts";
import { exitCodes } from "./context.ts";

const unreachable = [ApiUnavailableError, OutcomeUnknownError, TemporalUnreachableError];

/** The exit code that an error leads to: what is wrong decides who has to act. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return exitCodes.usage;
  if (!(error instanceof SluiceError)) return exitCodes.failed;
  if (["ConfigError", "AuthFailed"].includes(error.code)) return exitCodes.usage;
  return unreachable.some((Class) => error instanceof Class)
    ? exitCodes.unreachable
    : exitCodes.failed;
}
