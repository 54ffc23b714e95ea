import type { Body } from "../state/contract/sends/stagings.ts";

/** The text around the records of a lightweight body (docs/facts/service.md#lightweight). */
export function bodyEnvelope(stream: string): { readonly head: string; readonly tail: string } {
  return { head: `{"stream":${JSON.stringify(stream)},"data":[`, tail: "]}" };
}

/** Bytes that a single record may have in a body of `bytesMax`. */
export function recordBytesInBody(stream: string, bytesMax: number): number {
  const { head, tail } = bodyEnvelope(stream);
  return bytesMax - Buffer.byteLength(head) - tail.length;
}

/**
 * Finds where the lightweight bodies of a chunk begin. Each is as full as the limit allows, counted in bytes as sent
 * (I3). `bodies` returns undefined when a single record does not fit.
 */
export function createBodyCutter(
  stream: string,
  bytesMax: number,
): {
  /** Takes the size of the next line in bytes, without its line end. */
  add(lineBytes: number): void;
  bodies(): Body[] | undefined;
} {
  const room = recordBytesInBody(stream, bytesMax);
  const envelope = bytesMax - room;
  const bodies: Body[] = [];
  let [from, to, bytes, fits] = [0, 0, 0, true];

  const close = (): void => {
    if (to > from) bodies.push({ from, to, bytes: bytes + envelope });
    [from, bytes] = [to, 0];
  };
  return {
    add: (lineBytes) => {
      if (lineBytes > room) fits = false;
      const comma = to > from ? 1 : 0;
      if (bytes + comma + lineBytes > room) close();
      bytes += lineBytes + (to > from ? 1 : 0);
      to += 1;
    },
    bodies: () => {
      close();
      return fits ? bodies : undefined;
    },
  };
}
