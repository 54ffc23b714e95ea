import { type FieldHash, fieldHashBytes } from "../../contract/keys/known-records.ts";

/** Reads the hashes from their slots, without those that are 0: fields that the record did not have. */
export function readFields(fields: Uint8Array, names: ReadonlyMap<number, string>): FieldHash[] {
  const view = new DataView(fields.buffer, fields.byteOffset, fields.byteLength);
  const hashes: FieldHash[] = [];
  for (let at = 0; at < fields.byteLength; at += fieldHashBytes) {
    const name = names.get(at / fieldHashBytes);
    const hash = view.getUint32(at, true);
    if (name !== undefined && hash !== 0) hashes.push({ name, hash });
  }
  return hashes;
}
