import { bearer } from "./bearer.ts";
import { github } from "./github.ts";
import type { SignatureStyle } from "./signature.ts";
import { standard } from "./standard.ts";
import { stripe } from "./stripe.ts";

/** Every way to sign deliveries, by the name that `signature:` takes. */
export const signatures = { standard, github, stripe, bearer } satisfies Record<
  string,
  SignatureStyle
>;

/** A way to sign deliveries. */
export type SignatureName = keyof typeof signatures;
