import { readFile } from "node:fs/promises";

import { secretFileBytesMax } from "../limits.ts";
import { readFault } from "./read-fault.ts";

/** The fault of a secret that goes into a header, or undefined if there is none. */
export function secretFault(value: string): string | undefined {
  if (value === "") return "must not be empty";
  return /^[\x21-\x7e]+$/.test(value) ? undefined : "must be printable ASCII without blanks";
}

/** A secret read from a file, or its fault, which names the file as configured. */
export type SecretFile = { readonly value: string } | { readonly fault: string };

/** Reads the secret in a file, without the blanks around it. `name` is the path as a person wrote it. */
export async function readSecretFile(file: {
  readonly path: string;
  readonly name: string;
}): Promise<SecretFile> {
  let bytes: Buffer;
  try {
    bytes = await readFile(file.path);
  } catch (error) {
    return { fault: `cannot read ${file.name}: ${readFault(error)}` };
  }
  if (bytes.length > secretFileBytesMax) {
    return { fault: `${file.name} is larger than ${String(secretFileBytesMax)} bytes` };
  }
  const value = bytes.toString("utf8").trim();
  const fault = secretFault(value);
  return fault === undefined ? { value } : { fault: `${file.name} ${fault}` };
}
