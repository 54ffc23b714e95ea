import { registerConnectorDev } from "./connector-dev.ts";
import { registerConnectorNew } from "./connector-new.ts";
import { registerConnectorTest } from "./connector-test.ts";
import type { Register } from "./context.ts";

/** `sluice connector new|dev|test`. */
export const registerConnector: Register = (program, context) => {
  const connector = program.command("connector").description("write a connector of your own");
  for (const register of [registerConnectorNew, registerConnectorDev, registerConnectorTest]) {
    register(connector, context);
  }
};
