/** A mistake in the code of an external connector; holds neither its stack nor a secret of the configuration. */
export class ConnectorFault extends Error {
  /** Line of the connector's own code: `rss/index.ts:12`; its file where no line is known. */
  readonly place: string;

  constructor(
    connector: string,
    facts: { readonly place: string; readonly name: string; readonly said: string },
  ) {
    super(`connector ${connector} fails at ${facts.place}: ${facts.name}: ${facts.said}`);
    this.name = facts.name;
    this.place = facts.place;
  }
}
