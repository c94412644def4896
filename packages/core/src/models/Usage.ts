import { Schema } from "effect"

const Tokens = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))

/**
 * The tokens of one reply as four separate counters: each token is in only one of them. Vendors report overlapping
 * figures in different ways, and each adapter converts its own. Reasoning tokens count as output.
 */
export const Usage = Schema.Struct({
  freshInput: Tokens,
  cacheRead: Tokens,
  cacheWrite: Tokens,
  output: Tokens
})
export type Usage = typeof Usage.Type
