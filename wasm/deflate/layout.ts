// Where everything lies in memory, which never grows. Addresses and sizes are in bytes.

/** How far back a match may reach. */
export const WINDOW: usize = 32_768;

/** Input that is deflated at a time; a multiple of 65,536, so that places keep their low 16 bits when the window moves. */
export const AREA: usize = 262_144;

/** log2 of the places that are remembered. */
export const PLACE_BITS: usize = 14;

/** Low 16 bits of the last place of each hash. */
export const PLACES: usize = 0x1000;

/** How often each of the 286 symbols of literals and lengths occurs in the block, and each of the 30 of distances. */
export const SYMBOL_COUNTS: usize = 0x10000;
export const DISTANCE_COUNTS: usize = 0x10500;
export const COUNTS_SIZE: usize = 0x580;

/** Their codes: the bits, and their number from bit 16. */
export const SYMBOL_CODES: usize = 0x10600;
export const DISTANCE_CODES: usize = 0x10b00;

/** Code and extra bits of each match length, and their number from bit 24. */
export const MATCH_CODES: usize = 0x10c00;

/** The slot (RFC 1951, 3.2.5) of each length. */
export const LENGTH_SLOTS: usize = 0x11100;

/** Lengths of codes: of symbols and distances, one behind the other, and of the code that these are written in. */
export const CODE_LENGTHS: usize = 0x11600;
export const HEADER_LENGTHS: usize = 0x11780;

/** What the building of a code needs: symbols in their order, weights, and symbols of each length. */
export const SORTED: usize = 0x12000;
export const WEIGHTS: usize = 0x12800;
export const LENGTH_COUNTS: usize = 0x13000;
export const NEXT_CODES: usize = 0x13080;

/** The code lengths as runs, how often each symbol of these occurs, and their codes. */
export const RUNS: usize = 0x15200;
export const RUN_COUNTS: usize = 0x15000;
export const RUN_CODES: usize = 0x15100;

/** Sequences of the block: literals that are copied, then a match. 8 bytes each. */
export const SEQUENCES: usize = 0x20000;
export const SEQUENCES_MAX: usize = 32_760;

/** The window's room lies before the input, and 64 bytes that are read in vain behind it. */
export const INPUT: usize = 0x90000;

/** Room for what comes of a full area, stored as it is at worst. */
export const OUTPUT: usize = INPUT + AREA + 64;
