import { domainOf } from "./domain.ts";
import { emailCharsMax, emailLocalCharsMax } from "./limits.ts";
import { CoercionRefusal } from "./refusal.ts";

const notEmail = new CoercionRefusal("not_email", "is not an e-mail address");

// Plausible, not RFC 5322: a quoted local part is far more often a display name or two addresses in one cell.
const local = /^[^\s\p{C}@,:;"<>()[\]\\]+$/u;
const host = /^[^\s\p{C}@/:?#%\\]+$/u;

/** The text if it plausibly is one e-mail address, letters unchanged. Expects text without blanks around it. */
export function emailOf(value: unknown): string | CoercionRefusal {
  // The length is checked first, because it bounds the time of everything that follows.
  if (typeof value !== "string" || value.length > emailCharsMax) return notEmail;
  const at = value.lastIndexOf("@");
  if (at < 1 || at > emailLocalCharsMax) return notEmail;
  const domain = value.slice(at + 1);
  const isPlausible =
    local.test(value.slice(0, at)) && host.test(domain) && typeof domainOf(domain) === "string";
  return isPlausible ? value : notEmail;
}
