/** Words that others know by another name, which docs/words.md has. */
export const retired = new RegExp(
  [
    "doorbell|turnstile|untold|hangUp\\b|bearFaults|\\bborne\\b|answerBell|passingError|shutBecause",
    "patiently|drawStage|placeRun|specimen|\\bzoo\\b|nominalTime|outsideName|allow_echo|auto_below",
    "host_gone|credits_retry\\b|walks_max|rate-limit reopen|sluice budget",
  ].join("|"),
  "i",
);

/** The same as whole words or parts of an identifier; the columns of older stores keep theirs. */
export const replaced = new RegExp(
  [
    String.raw`\b(?:gate|ticket|lapse|horizon|fate|sweep|ring|bell)s?\b|\bstanding\b(?! before)`,
    String.raw`\b(?:gate|ticket|lapse|standing|horizon|fate|sweep|ring|bell)(?=[A-Z])`,
    String.raw`\.{3}ask\b|\breadonly ask\b|\bReadAsk\b|\bSendStore\b|\b(?:open|drop)Sends\b`,
    "[a-z](?:Gate|Ticket|Lapse|Standing|Horizon|Fate|Sweep|Ring|Bell)s?(?![a-z])",
  ].join("|"),
);

/** What older stores are read by. */
export const migrations = /^src\/state\/sqlite\/migrations\//;

/** Habits of another language's order. */
export const habits = new RegExp(
  [
    String.raw`\b(?:posted to|goes on|is none of|are none of|spoken for|and its kin|of outside)\b`,
    String.raw`\bmend(?:s|ed|ing)?\b|\b(?:stands|lies) (?:in|at|beside|behind|on)\b`,
  ].join("|"),
  "i",
);

/** Words that cite what a reader of the repository does not have. */
export const outside = new RegExp(
  String.raw`published facts|\bdesign: |API document, sections?|\b[Rr]ule \d|\((?:T|P)\d+\)|` +
    String.raw`(?<![\w/])(?:faults|temporal|security|performance|overview)\.md`,
);

/** The name that a line exports. */
export const exportedName =
  /^export (?:declare |abstract |async )*(?:function\*?|const|class|type|interface) (\w+)/gm;
