import type { SessionVerifier } from "@parley/core/adapter"
import type { Effect } from "effect"
import { type IssuedSession, makeOwnSessions } from "./ownSessions.ts"

const NAME = "parley-development"
const SECRET_BYTES = 32
const LIFETIME_SECONDS = 7 * 24 * 60 * 60

/**
 * Sessions for trying Parley out, without any proof: each client that can reach the server can sign in under any name.
 */
export interface DevelopmentSessions {
  readonly verifier: SessionVerifier["Service"]
  /** Signs in the owner of this address; the address, trimmed and in lower case, is the user id. */
  readonly issue: (email: string) => Effect.Effect<IssuedSession>
}

/**
 * Creates sessions that only their own verifier accepts, with a secret that never leaves this process. Browsers store
 * cookies by host name without the port, so another program on this machine, or an earlier one on this port, may have
 * set or read a cookie: sessions of other processes are refused.
 */
export const makeDevelopmentSessions = (): DevelopmentSessions => {
  const secret = crypto.getRandomValues(new Uint8Array(SECRET_BYTES))
  const own = makeOwnSessions({ secrets: [secret], issuer: NAME, audience: NAME, lifetimeSeconds: LIFETIME_SECONDS })
  return {
    verifier: own.verifier,
    issue: (sent) => {
      const email = sent.trim().toLowerCase()
      return own.issue({ userId: email, email })
    }
  }
}
