/** A connector's messages for a person; they must hold no row and no secret. */
export interface Log {
  info(text: string, facts?: object): void;
  warn(text: string, facts?: object): void;
}

/**
 * For calls whose log has no reader: connectors speak through rejects and errors, and say it again to the command that
 * shows it.
 */
export const silentLog = { info: () => undefined, warn: () => undefined } satisfies Log;

/** The request that every ability receives. `signal` aborts when the run is cancelled: stop reading then. */
export type ConnectorRequest<Config> = {
  readonly config: Config;
  readonly signal: AbortSignal;
  readonly log: Log;
};

/** One line of `sluice check`. */
export type Finding = {
  readonly name: string;
  readonly ok: boolean;
  readonly detail?: string | undefined;
  /** What to do when not `ok`, or about a warning. */
  readonly fix?: string | undefined;
};
