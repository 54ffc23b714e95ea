export { backfill } from "./backfill.ts";
export { inboxDrain } from "./inbox-drain.ts";
export { inboxSweep } from "./inbox-sweep.ts";
export { jobPostingsPull } from "./job-postings-pull.ts";
export { notify } from "./notify.ts";
export { resend } from "./resend.ts";
export { searchPull } from "./search-pull.ts";
export { sync } from "./sync.ts";
