import type { PushHarness } from "sluice/testing";

/**
 * The sender that the kit plays. It signs with the connector's own `sign`; one with a `sign` of its own would
 * show more.
 */
export const harness: PushHarness = {
  config: { path: "/hooks/connector-name", secret: "a secret of the harness alone" },
  // Yours to change: a delivery as your sender writes it.
  bodyOf: (events) => events.map((event) => JSON.stringify(event)).join("\n"),
};
