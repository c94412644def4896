/** How long requests that run may take once the server stops. */
export const DRAIN_MS = 10_000
