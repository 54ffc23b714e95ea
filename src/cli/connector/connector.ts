import type { Register } from "../output/context.ts";
import { registerConnectorDev } from "./dev.ts";
import { registerConnectorNew } from "./new.ts";
import { registerConnectorTest } from "./test.ts";

/** `sluice connector new|dev|test`. */
export const registerConnector: Register = (program, context) => {
  const connector = program.command("connector").description("write a connector of your own");
  for (const register of [registerConnectorNew, registerConnectorDev, registerConnectorTest]) {
    register(connector, context);
  }
};
