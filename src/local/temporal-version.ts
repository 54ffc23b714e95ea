/** The version of Temporal's CLI that contains the embedded server: the newest that `go install` accepts. */
export const temporalCliVersion = "1.5.1";

/** What each way of getting the Temporal server receives. */
export type FetchTemporal = {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** An empty folder of its own; the caller removes it. */
  readonly folder: string;
  /** Takes lines for a person. */
  readonly say: (text: string) => void;
};
