/** The interface that a connector was made with. */
export type ConnectorApi = {
  /** A whole number that grows when connectors have to change; `connectorApi` in package.json says the same. */
  readonly version: number;
};

/** The interface of this copy of sluice; one object, which distinguishes ours from a connector's own copy. */
export const connectorApi: ConnectorApi = Object.freeze({ version: 1 });
