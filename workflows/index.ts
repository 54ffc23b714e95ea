export { backfill } from "./backfill/backfill.ts";
export { inboxDrain } from "./inbox/inbox-drain.ts";
export { inboxCheck } from "./inbox/inbox-check.ts";
export { jobPostingsPull } from "./pull/job-postings-pull.ts";
export { notify } from "./notify.ts";
export { resend } from "./sync/resend.ts";
export { searchPull } from "./pull/search-pull.ts";
export { sync } from "./sync/sync.ts";
