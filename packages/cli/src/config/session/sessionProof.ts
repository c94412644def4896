import type { JwksSessionVerifierOptions } from "@parley/adapters-http/node"
import type { ParleyConfig } from "../readConfig.ts"
import type { SessionConfig } from "../readSession.ts"

/** The variables that let an identity provider prove sessions. */
export const REAL_SIGN_IN = "PARLEY_SESSION_ISSUER or PARLEY_SESSION_SECRET"

/** True if no identity provider proves sessions: any person on this machine may then sign in under any name. */
export const usesDevelopmentSignIn = ({ session }: Pick<ParleyConfig, "session">): boolean =>
  session.proof === undefined

/** The cookie that carries sessions: over https nothing but one with `__Host-` counts, or the own one of a preset. */
export const sessionCookieName = ({ baseUrl, session: { cookieName, preset } }: ParleyConfig): string =>
  URL.parse(baseUrl ?? "")?.protocol === "https:" && preset === undefined && !cookieName.startsWith("__Host-")
    ? `__Host-${cookieName}`
    : cookieName

/** The provider whose keys sign sessions; undefined if a secret does, or nothing. */
export const providerKeysOf = ({ audience, issuer, proof }: SessionConfig): JwksSessionVerifierOptions | undefined =>
  proof?._tag === "Keys" ? { jwksUrl: proof.jwksUrl, issuer, audience } : undefined

/** The method that signs sessions, in words. */
export const signedWith = ({ issuer, proof }: SessionConfig): string =>
  proof?._tag === "Keys" ? `the keys of ${proof.jwksUrl ?? issuer ?? ""}` : "a secret (HS256)"
