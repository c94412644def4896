import type { ExpectedClaims, JwksSessionVerifierOptions } from "@parley/adapters-http/node"
import { sessionCookieName as countingName } from "@parley/adapters-http/settings"
import type { ParleyConfig } from "../readConfig.ts"
import type { SessionConfig } from "../readSession.ts"

/** The variables of a real sign-in. */
export const REAL_SIGN_IN = "PARLEY_SESSION_ISSUER, PARLEY_SESSION_SECRET or PARLEY_SMTP_URL"

/** True if nothing proves sessions: any person on this machine may then sign in under any name. */
export const usesDevelopmentSignIn = ({ session }: Pick<ParleyConfig, "session">): boolean =>
  session.proof === undefined

/** The cookie that carries sessions: over https nothing but one with `__Host-` counts, or the own one of a preset. */
export const sessionCookieName = ({ baseUrl, session: { cookieName, preset } }: ParleyConfig): string =>
  countingName({ baseUrl, sessionCookie: cookieName, sessionPreset: preset })

/** The claims that tokens must have, and those that describe their people. */
export const expectedClaims = (session: SessionConfig): ExpectedClaims => {
  const { audience, emailClaim, issuer, maxAgeSeconds, nameClaim, preset, roleClaim, userClaim } = session
  return { audience, emailClaim, issuer, maxAgeSeconds, nameClaim, preset, roleClaim, userClaim }
}

/** The provider whose keys sign sessions; undefined if a secret does, or nothing. */
export const providerKeysOf = (session: SessionConfig): JwksSessionVerifierOptions | undefined =>
  session.proof?._tag === "Keys" ? { jwksUrl: session.proof.jwksUrl, ...expectedClaims(session) } : undefined

/** The method that signs sessions, in words. */
export const signedWith = ({ issuer, proof }: SessionConfig): string =>
  proof?._tag === "Keys"
    ? `the keys of ${proof.jwksUrl ?? issuer ?? ""}`
    : proof?._tag === "Own"
      ? "a secret of this server (HS256), for people who sign in by e-mail"
      : "a secret (HS256)"
