// Lengths and distances as RFC 1951 (3.2.5) writes them: a slot, and extra bits for the place in it.
import { LENGTH_SLOTS } from "./layout.ts";

/** Smallest length of a slot. */
export function lengthBase(slot: u32): u32 {
  if (slot < 8) return 3 + slot;
  return slot == 28 ? 258 : 3 + ((4 + (slot & 3)) << ((slot >> 2) - 1));
}

export function lengthExtraBits(slot: u32): u32 {
  return slot < 8 || slot == 28 ? 0 : (slot >> 2) - 1;
}

/** Smallest distance of a slot, less 1. */
export function distanceBase(slot: u32): u32 {
  return slot < 4 ? slot : (2 + (slot & 1)) << ((slot >> 1) - 1);
}

export function distanceExtraBits(slot: u32): u32 {
  return slot < 4 ? 0 : (slot >> 1) - 1;
}

export function lengthSlot(length: u32): u32 {
  return load<u8>(LENGTH_SLOTS + length);
}

/** Of a distance, less 1: its highest bit says which two slots, and the next one which of them. */
export function distanceSlot(distance: u32): u32 {
  const top: u32 = 31 - clz<u32>(distance | 1);
  return select<u32>(2 * top + ((distance >> (top - 1)) & 1), distance, distance > 1);
}

/** Fills the table that the slots of lengths are looked up in. */
export function makeSlots(): void {
  // In this order: 258 has a slot of its own.
  for (let slot: u32 = 0; slot < 29; slot++) {
    const end: u32 = lengthBase(slot) + (1 << lengthExtraBits(slot));
    for (let length = lengthBase(slot); length < end; length++) {
      store<u8>(LENGTH_SLOTS + length, <u8>slot);
    }
  }
}
