import type { UserId } from "@parley/core"
import type { SessionVerifier } from "@parley/core/adapter"
import { Clock, Effect } from "effect"
import { SignJWT } from "jose/jwt/sign"
import { HmacSessionVerifier, type SessionSecret } from "./HmacSessionVerifier.ts"

export interface OwnSessionOptions {
  /** The first one signs; sessions under each of them count, so that the secret can be changed. */
  readonly secrets: readonly [SessionSecret, ...ReadonlyArray<SessionSecret>]
  /** The issuer and the audience of the sessions; sessions of others do not count. */
  readonly issuer: string
  readonly audience: string
  readonly lifetimeSeconds: number
}

/** A person to be signed in. */
export interface NewPerson {
  readonly userId: UserId
  /** A verified address. */
  readonly email: string
}

export interface IssuedSession extends NewPerson {
  readonly token: string
  readonly lifetimeSeconds: number
  /** Unix milliseconds. */
  readonly expiresAt: number
}

/** Sessions that this server issues itself. */
export interface OwnSessions {
  readonly verifier: SessionVerifier["Service"]
  /** Issues a session. The caller has proven who the person is. */
  readonly issue: (person: NewPerson) => Effect.Effect<IssuedSession>
}

const bytesOf = (secret: SessionSecret): Uint8Array =>
  typeof secret === "string" ? new TextEncoder().encode(secret) : secret

/** Creates the sessions of a server with a sign-in of its own, and their verifier. Throws if a secret is empty. */
export const makeOwnSessions = ({ audience, issuer, lifetimeSeconds, secrets }: OwnSessionOptions): OwnSessions => {
  const key = bytesOf(secrets[0])
  return {
    verifier: HmacSessionVerifier.make({ secret: secrets, issuer, audience, maxAgeSeconds: lifetimeSeconds }),
    issue: Effect.fnUntraced(function* ({ email, userId }) {
      const issuedAt = Math.floor((yield* Clock.currentTimeMillis) / 1000)
      const expiresAt = issuedAt + lifetimeSeconds
      const token = yield* Effect.promise(() =>
        new SignJWT({ email, auth_time: issuedAt })
          .setProtectedHeader({ alg: "HS256" })
          .setIssuer(issuer)
          .setAudience(audience)
          .setSubject(userId)
          // Two sign-ins of one second are two sessions: signing out of one leaves the other.
          .setJti(crypto.randomUUID())
          .setIssuedAt(issuedAt)
          .setExpirationTime(expiresAt)
          .sign(key)
      )
      return { userId, email, token, lifetimeSeconds, expiresAt: expiresAt * 1000 }
    })
  }
}
