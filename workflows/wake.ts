import { defineSignal } from "@temporalio/workflow";

/** Says to a workflow that something came, and not what: it looks again before it ends. */
export const wake = defineSignal("wake");
