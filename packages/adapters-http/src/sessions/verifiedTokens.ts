import type { Session } from "@parley/core/adapter"

/** A few hundred bytes each. */
const MOST_TOKENS = 10_000
/** Tokens are shorter; what is longer is verified anew each time. */
const LONGEST_TOKEN = 2_048

interface Verified {
  readonly session: Session
  /** When it was verified, in Unix milliseconds. */
  readonly at: number
}

/** Tokens whose signature and claims one verifier has found good. */
export interface VerifiedTokens {
  /** The session of a token that was found good and is so at `now` (Unix milliseconds). */
  find(token: string, now: number): Session | undefined
  add(token: string, verified: Verified): void
}

/**
 * Remembers tokens for as long as they are good, the newest of them: a signature is checked in another thread, which
 * costs a request more than all else that is asked of its head. What is good at one moment stays so until it expires;
 * where the clock was set back it may not be good yet.
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
