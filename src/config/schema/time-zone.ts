import { didYouMean } from "../messages/did-you-mean.ts";

/** The names of the time zone database that this Node knows, without their aliases. */
export const zoneNames: readonly string[] = [...Intl.supportedValuesOf("timeZone"), "UTC"];

/**
 * The name of a zone in its proper spelling, or an alias as it was given; undefined when no zone has the name. An
 * offset such as +02:00 is not a name.
 */
export function zoneNamed(name: string): string | undefined {
  if (!/^[a-z]/i.test(name)) return undefined;
  try {
    const known = new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;
    // An alias, such as Asia/Kolkata, is as good.
    return known.toLowerCase() === name.toLowerCase() ? known : name;
  } catch {
    return undefined;
  }
}

/** The fault of a time zone's name; undefined when there is a zone of this name. */
export function timeZoneFault(name: string): string | undefined {
  // Temporal's server looks a name up as it is written: for it, europe/paris is not a zone.
  if (zoneNamed(name) === name && /^[A-Z][^/]*(?:\/[A-Z][^/]*)*$/.test(name)) return undefined;
  return `no time zone has this name${didYouMean(name, zoneNames)}; it must be one such as Europe/Paris, or UTC`;
}
