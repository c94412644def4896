import type { ExpectedClaims, JwksSessionVerifierOptions } from "@parley/adapters-http/node"
import { sessionCookieName as countingName } from "@parley/adapters-http/settings"
import type { ParleyConfig } from "../readConfig.ts"
import type { SessionConfig } from "../readSession.ts"

/** The variables that connect a real sign-in. */
export const REAL_SIGN_IN = "PARLEY_SESSION_ISSUER, PARLEY_SESSION_SECRET or PARLEY_SMTP_URL"

/** True if no real sign-in is configured: then any person on this machine may sign in under any name. */
export const usesDevelopmentSignIn = ({ session }: Pick<ParleyConfig, "session">): boolean =>
  session.proof === undefined

/**
 * The name of the session cookie. Over https its name begins with `__Host-`, unless a preset's library sets the cookie.
 */
export const sessionCookieName = ({ baseUrl, session: { cookieName, preset } }: ParleyConfig): string =>
  countingName({ baseUrl, sessionCookie: cookieName, sessionPreset: preset })

/** The claims that tokens must have, and the claims that describe a person. */
export const expectedClaims = (session: SessionConfig): ExpectedClaims => {
  const { audience, emailClaim, issuer, maxAgeSeconds, nameClaim, preset, roleClaim, userClaim } = session
  return { audience, emailClaim, issuer, maxAgeSeconds, nameClaim, preset, roleClaim, userClaim }
}

/** The identity provider whose keys sign sessions; undefined if sessions are signed with a secret or not at all. */
export const providerKeysOf = (session: SessionConfig): JwksSessionVerifierOptions | undefined =>
  session.proof?._tag === "Keys" ? { jwksUrl: session.proof.jwksUrl, ...expectedClaims(session) } : undefined

/** Describes the method that signs sessions, for people. */
export const signedWith = ({ issuer, proof }: SessionConfig): string =>
  proof?._tag === "Keys"
    ? `the keys of ${proof.jwksUrl ?? issuer ?? ""}`
    : proof?._tag === "Own"
      ? "a secret of this server (HS256), for people who sign in by e-mail"
      : "a secret (HS256)"
