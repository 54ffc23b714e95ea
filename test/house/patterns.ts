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

/** More such habits, in texts for people: printed texts, comments and pages. Titles of tests keep theirs. */
export const printedHabits = new RegExp(
  [
    // "is no JSON" for "is not JSON"; "there is no file" and "is no longer" are right.
    String.raw`(?<!\b(?:[Tt]here|[Hh]ere) (?:still )?)\b(?:is|are|was|were) (?:no|none)\b(?! longer\b)`,
    String.raw`\b(?:is|are|was|were|be|been|being|nobody) told\b|\b[Tt]ell(?:s|ing)? (?:only|also)\b`,
    // "Of a pull it says" for "For a pull it says".
    String.raw`(?:^|[.!?:|>(] |["'\`>|])Of [a-z]`,
    // "what was accepted stays" for "accepted records stay".
    String.raw`\b[Ww]hat (?:(?:is|was|has|had|may|must|can)(?: been| be)?(?: not| already)? \w+|waits|runs|came|comes` +
      String.raw`|changed|differs|follows|remains) (?:is|are|was|were|stays?|waits?|counts?|continues?|begins?|comes` +
      String.raw`|goes|has|may|must|cannot|would)\b`,
    String.raw`\b(?:stands?|lies|stood|lay) (?:in|at|beside|behind|on|twice|there|within|between|above|below|before)\b`,
    String.raw`\b(?:has|have) not the\b|\b(?:Was|Is|Has) [a-z ]+, (?:name|set|run|send)\b`,
  ].join("|"),
);
