import type { JwksSessionVerifierOptions } from "@parley/adapters-http/node"
import type { ParleyConfig } from "../ParleyConfig.ts"
import type { SessionConfig } from "./SessionConfig.ts"

/** What to set so that an identity provider proves sessions. */
export const REAL_SIGN_IN = "PARLEY_SESSION_ISSUER or PARLEY_SESSION_SECRET"

/** True where no identity provider proves sessions: anybody on this machine may then sign in as anybody. */
export const usesDevelopmentSignIn = ({ session }: Pick<ParleyConfig, "session">): boolean =>
  session.proof === undefined

/** The cookie that carries sessions: over https nothing but one with `__Host-` counts, or the own one of a preset. */
export const sessionCookieName = ({ baseUrl, session: { cookieName, preset } }: ParleyConfig): string =>
  URL.parse(baseUrl ?? "")?.protocol === "https:" && preset === undefined && !cookieName.startsWith("__Host-")
    ? `__Host-${cookieName}`
    : cookieName

/** Whose keys sign sessions; undefined where a secret does, or nothing. */
export const providerKeysOf = ({ audience, issuer, proof }: SessionConfig): JwksSessionVerifierOptions | undefined =>
  proof?._tag === "Keys" ? { jwksUrl: proof.jwksUrl, issuer, audience } : undefined

/** What sessions are signed with, in words. */
export const signedWith = ({ issuer, proof }: SessionConfig): string =>
  proof?._tag === "Keys" ? `the keys of ${proof.jwksUrl ?? issuer ?? ""}` : "a secret (HS256)"
