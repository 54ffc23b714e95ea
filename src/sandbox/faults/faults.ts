import { z } from "zod";

import { exchangeKinds, pageKinds, uploadKinds } from "./fault-kinds.ts";
import type { Occasion, Units } from "./fault-kinds.ts";

export type { Step } from "../steps.ts";

const kinds = { ...exchangeKinds, ...uploadKinds, ...pageKinds };

type OrderedFaultName = keyof typeof kinds;

/** What goes wrong; the summary of its kind says how. */
export type FaultAction = z.output<ReturnType<(typeof kinds)[OrderedFaultName]["schema"]>>["do"];

/** A fault to come. */
export type SandboxFault = Occasion & { readonly do: FaultAction };

/** Every fault that can be ordered, by name. */
export const orderedFaultNames = Object.keys(kinds).filter(
  (name): name is OrderedFaultName => name in kinds,
);

/** The faults of pages, which search and enrichment alone have. */
export const pageFaultNames = orderedFaultNames.filter((name) => name in pageKinds);

/** Every fault that can be ordered: its name, the steps it can happen to, what it does, and an item of a script. */
export const faultKinds = orderedFaultNames.map((name) => {
  const { steps, summary, example } = kinds[name];
  return { name, steps, summary, example };
});

/** How an item of a script's `faults` is read. */
export function faultSchema(units: Units): z.ZodType<SandboxFault> {
  const schemaOf = (name: OrderedFaultName) => kinds[name].schema(name, units);
  const [, ...others] = orderedFaultNames;
  return z.discriminatedUnion("do", [schemaOf("answer"), ...others.map(schemaOf)]);
}

/** What its settings make the service do, and no order. */
const quotaFaultNames = ["credits-exhausted", "too-many-requests"] as const;

/** Every fault that a ledger can tell of. */
export const faultNames = [...orderedFaultNames, ...quotaFaultNames];

/** The name of a fault. */
export type SandboxFaultName = (typeof faultNames)[number];

/** What an action is called. */
export function faultName(action: FaultAction): SandboxFaultName {
  if ("garble" in action) return action.garble;
  const name = orderedFaultNames.find((each) => kinds[each].member in action);
  if (name === undefined) throw new Error("an action without a name");
  return name;
}

/** Whether a step does a fault itself, and may find no occasion for it. */
export function isOfStep(action: FaultAction): boolean {
  const name = faultName(action);
  return name in uploadKinds || name in pageKinds;
}
