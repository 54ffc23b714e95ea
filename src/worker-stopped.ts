/** Type of the failure of an activity that its worker's stop cut off: no fault, and tried again. */
export const workerStoppedType = "WorkerStopped";
