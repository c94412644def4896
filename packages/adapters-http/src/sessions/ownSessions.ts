import type { UserId } from "@parley/core"
import type { SessionVerifier } from "@parley/core/adapter"
import { Clock, Effect } from "effect"
import { SignJWT } from "jose/jwt/sign"
import { HmacSessionVerifier, type SessionSecret } from "./HmacSessionVerifier.ts"

export interface OwnSessionOptions {
  /**
   * The secrets. The first one signs new sessions; sessions signed with any of them count, so that a secret can be
   * rotated.
   */
  readonly secrets: readonly [SessionSecret, ...ReadonlyArray<SessionSecret>]
  /** The issuer of the sessions. Sessions of another issuer or audience are refused. */
  readonly issuer: string
  readonly audience: string
  readonly lifetimeSeconds: number
}

/** A person to sign in. */
export interface NewPerson {
  readonly userId: UserId
  /** The person's verified address. */
  readonly email: string
}

export interface IssuedSession extends NewPerson {
  readonly token: string
  readonly lifetimeSeconds: number
  /** The expiry in Unix milliseconds. */
  readonly expiresAt: number
}

/** Sessions that this server issues itself. */
export interface OwnSessions {
  readonly verifier: SessionVerifier["Service"]
  /** Issues a session. The caller must have proven the person's identity. */
  readonly issue: (person: NewPerson) => Effect.Effect<IssuedSession>
}

const bytesOf = (secret: SessionSecret): Uint8Array =>
  typeof secret === "string" ? new TextEncoder().encode(secret) : secret

/** Creates the sessions of a server with its own sign-in, and their verifier. Throws if a secret is empty. */
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
          // Two sign-ins in the same second become two sessions, so that signing out of one does not end the other.
          .setJti(crypto.randomUUID())
          .setIssuedAt(issuedAt)
          .setExpirationTime(expiresAt)
          .sign(key)
      )
      return { userId, email, token, lifetimeSeconds, expiresAt: expiresAt * 1000 }
    })
  }
}
