import type { Session } from "@parley/core/adapter"

/** A few hundred bytes each. */
const MOST_TOKENS = 10_000
/** Tokens are shorter; longer ones are verified each time. */
const LONGEST_TOKEN = 2_048

interface Verified {
  readonly session: Session
  /** When it was verified, in Unix milliseconds. */
  readonly at: number
}

/** Tokens whose signature and claims one verifier has accepted. */
export interface VerifiedTokens {
  /** The session of a token that was found good and is so at `now` (Unix milliseconds). */
  find(token: string, now: number): Session | undefined
  add(token: string, verified: Verified): void
}

/**
 * Caches accepted tokens until they expire, the newest of them: verifying a signature in another thread costs a
 * request more than all other checks of its head. An accepted token stays valid until it expires, unless the clock is
 * set back.
 */
export const makeVerifiedTokens = (): VerifiedTokens => {
  const tokens = new Map<string, Verified>()
  return {
    find: (token, now) => {
      const known = tokens.get(token)
      if (known === undefined) return undefined
      if (now < known.session.expiresAt) return now < known.at ? undefined : known.session
      tokens.delete(token)
      return undefined
    },
    add: (token, verified) => {
      if (token.length > LONGEST_TOKEN) return
      if (tokens.size >= MOST_TOKENS) tokens.delete(tokens.keys().next().value as string)
      tokens.set(token, verified)
    }
  }
}
