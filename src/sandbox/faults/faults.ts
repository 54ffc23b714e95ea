import { z } from "zod";

import { exchangeKinds, pageKinds, uploadKinds } from "./fault-kinds.ts";
import type { Occasion, Units } from "./fault-kinds.ts";

export type { Step } from "../steps.ts";

const kinds = { ...exchangeKinds, ...uploadKinds, ...pageKinds };

type OrderedFaultName = keyof typeof kinds;

/** The action of a fault; the summary of its kind describes it. */
export type FaultAction = z.output<ReturnType<(typeof kinds)[OrderedFaultName]["schema"]>>["do"];

/** An ordered fault. */
export type SandboxFault = Occasion & { readonly do: FaultAction };

/** Every fault that can be ordered, by name. */
export const orderedFaultNames = Object.keys(kinds).filter(
  (name): name is OrderedFaultName => name in kinds,
);

/** The faults of pages, which only search and enrichment have. */
export const pageFaultNames = orderedFaultNames.filter((name) => name in pageKinds);

/** Every fault that can be ordered: its name, the steps it can happen to, what it does, and an item of a script. */
export const faultKinds = orderedFaultNames.map((name) => {
  const { steps, summary, example } = kinds[name];
  return { name, steps, summary, example };
});

/** The schema of an item in a script's `faults`. */
export function faultSchema(units: Units): z.ZodType<SandboxFault> {
  const schemaOf = (name: OrderedFaultName) => kinds[name].schema(name, units);
  const [, ...others] = orderedFaultNames;
  return z.discriminatedUnion("do", [schemaOf("answer"), ...others.map(schemaOf)]);
}

/** Faults that follow from the sandbox's settings, not from an order. */
const quotaFaultNames = ["credits-exhausted", "too-many-requests"] as const;

/** Every fault that a ledger can name. */
export const faultNames = [...orderedFaultNames, ...quotaFaultNames];

/** The name of a fault. */
export type SandboxFaultName = (typeof faultNames)[number];

/** The name of the fault that an action carries out. */
export function faultName(action: FaultAction): SandboxFaultName {
  if ("garble" in action) return action.garble;
  const name = orderedFaultNames.find((each) => kinds[each].member in action);
  if (name === undefined) throw new Error("an action without a name");
  return name;
}

/** Whether a step carries out a fault itself, and may have no occasion for it. */
export function isOfStep(action: FaultAction): boolean {
  const name = faultName(action);
  return name in uploadKinds || name in pageKinds;
}
