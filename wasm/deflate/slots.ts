// Lengths and distances as RFC 1951 (3.2.5) writes them: a slot, and extra bits for the place in it.
import { DISTANCE_SLOTS, LENGTH_SLOTS } from "./layout.ts";

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

/** Of a distance, less 1. */
export function distanceSlot(distance: u32): u32 {
  return load<u8>(DISTANCE_SLOTS + <usize>(distance < 256 ? distance : <u32>256 + (distance >> 7)));
}

/** Fills the tables that the slots are looked up in. */
export function makeSlots(): void {
  // In this order: 258 has a slot of its own.
  for (let slot: u32 = 0; slot < 29; slot++) {
    const end: u32 = lengthBase(slot) + (1 << lengthExtraBits(slot));
    for (let length = lengthBase(slot); length < end; length++) {
      store<u8>(LENGTH_SLOTS + length, <u8>slot);
    }
  }
  for (let slot: u32 = 0; slot < 30; slot++) {
    const end: u32 = distanceBase(slot) + (1 << distanceExtraBits(slot));
    for (let distance = distanceBase(slot); distance < end; distance++) {
      const at: u32 = distance < 256 ? distance : 256 + (distance >> 7);
      store<u8>(DISTANCE_SLOTS + at, <u8>slot);
    }
  }
}
