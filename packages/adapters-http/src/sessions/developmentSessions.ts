import type { SessionVerifier } from "@parley/core/adapter"
import type { UserId } from "@parley/core"
import { Clock, Effect } from "effect"
import { SignJWT } from "jose/jwt/sign"
import { HmacSessionVerifier } from "./HmacSessionVerifier.ts"

const ISSUER = "parley-development"
const SECRET_BYTES = 32
const LIFETIME_SECONDS = 7 * 24 * 60 * 60

export interface IssuedSession {
  readonly userId: UserId
  readonly email: string
  readonly token: string
  readonly lifetimeSeconds: number
  /** Unix milliseconds. */
  readonly expiresAt: number
}

/** Sessions for trying Parley out: any client that can reach the server can sign in under any name. */
export interface DevelopmentSessions {
  readonly verifier: SessionVerifier["Service"]
  /** Signs in the owner of this address; the address, trimmed and in lower case, is the user id. */
  readonly issue: (email: string) => Effect.Effect<IssuedSession>
}

/**
 * Creates sessions that only their own verifier accepts, under a secret that never leaves this process. Browsers store
 * cookies by host name and not by port, so another program on this machine, or an earlier one on this port, may have
 * set or read one: none of those is accepted.
 */
export const makeDevelopmentSessions = (): DevelopmentSessions => {
  const secret = crypto.getRandomValues(new Uint8Array(SECRET_BYTES))
  const verifier = HmacSessionVerifier.make({ secret, issuer: ISSUER, maxAgeSeconds: LIFETIME_SECONDS })
  return { verifier, issue: issueWith(secret) }
}

const issueWith = (secret: Uint8Array): DevelopmentSessions["issue"] =>
  Effect.fnUntraced(function* (email) {
    const userId = email.trim().toLowerCase()
    const issuedAt = Math.floor((yield* Clock.currentTimeMillis) / 1000)
    const expiresAt = issuedAt + LIFETIME_SECONDS
    const token = yield* Effect.promise(() =>
      new SignJWT({ email: userId })
        .setProtectedHeader({ alg: "HS256" })
        .setIssuer(ISSUER)
        .setSubject(userId)
        .setIssuedAt(issuedAt)
        .setExpirationTime(expiresAt)
        .sign(secret)
    )
    return { userId, email: userId, token, lifetimeSeconds: LIFETIME_SECONDS, expiresAt: expiresAt * 1000 }
  })
