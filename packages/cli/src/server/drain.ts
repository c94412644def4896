/** Time for running requests to finish when the server stops. */
export const DRAIN_MS = 10_000
