/**
 * The maximum number of credits in any amount: 2^53 - 1, so that a JSON number represents each amount exactly. In a
 * file of its own, apart from `creditInputs.ts`, so that the arithmetic of prices can be bundled without schemas.
 */
export const MAX_CREDITS = Number.MAX_SAFE_INTEGER
