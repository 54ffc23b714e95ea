import { ConfigError } from "../../src/errors.ts";

/**
 * The members of the connection that an API's faults are about; errors name them, so that a person knows what
 * to change.
 */
export type FaultFields = {
  /** The member that logs in. @example "token" */
  readonly login?: string | undefined;
  /** The members to check when the login is refused. @default `login` */
  readonly logins?: string | undefined;
  /** Where the API is. @example "url" */
  readonly address?: string | undefined;
  /** The member that finds the next page. */
  readonly next?: string | undefined;
  /** The member that sets the order of the rows. */
  readonly order?: string | undefined;
  /** The change column. */
  readonly changedBy?: string | undefined;
};

/** The error for an API that is not as the configuration says. */
export function wrong(message: string, field: string | undefined): ConfigError {
  const hint =
    field === undefined
      ? "Compare what the connector asks for with the API's documentation."
      : `Set ${field} as the API documents it.`;
  return new ConfigError(message, { field, hint });
}
