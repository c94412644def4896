/**
 * The most credits there can be of anything: 2^53 - 1, so that a JSON number always carries the exact amount. Apart from
 * `creditInputs.ts`, so that the arithmetic of prices can be bundled without schemas.
 */
export const MAX_CREDITS = Number.MAX_SAFE_INTEGER
