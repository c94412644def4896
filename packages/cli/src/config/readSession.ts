import { isIssuerAddress, isProviderAddress, SESSION_PRESETS } from "@parley/adapters-http/settings"
import type { Redacted } from "effect"
import type { EnvironmentReader } from "./EnvironmentReader.ts"

const WEB = ["https:", "http:"]
const SAFE = "an address that begins with https:// (http:// on this machine)"

/** The proof that a session token is genuine; undefined if only the development sign-in proves sessions. */
type SessionProof =
  | { readonly _tag: "Secret"; readonly secret: Redacted.Redacted }
  /** The keys that the identity provider publishes, at an address or at the one in its discovery document. */
  | { readonly _tag: "Keys"; readonly jwksUrl: string | undefined }
  | undefined

export type SessionConfig = ReturnType<typeof readSession>

/** The settings of sessions. A preset names the library that sets the cookie: Supabase has a cookie, audience and keys of its own. */
export const readSession = (read: EnvironmentReader) => {
  const preset = read.choice("PARLEY_SESSION_PRESET", SESSION_PRESETS)
  const issuer = read.text("PARLEY_SESSION_ISSUER")
  const cookieName = read.valid("PARLEY_SESSION_COOKIE", "a cookie name (letters, digits, - and _)", (name) =>
    /^[\w!#$%&'*+.^`|~-]+$/.test(name)
  )
  const project = preset && URL.parse(issuer ?? "")?.hostname.split(".")[0]
  if (preset !== undefined && project === undefined) {
    const expected = "the address of the project's sign-in, such as https://<project>.supabase.co/auth/v1"
    read.problem("PARLEY_SESSION_ISSUER", `expected ${expected}, since PARLEY_SESSION_PRESET is set`)
  }
  const keysUrl = preset && `${issuer?.replace(/\/$/, "")}/.well-known/jwks.json`
  return {
    preset,
    issuer,
    cookieName: cookieName ?? (preset ? `sb-${project}-auth-token` : "parley_session"),
    audience: read.text("PARLEY_SESSION_AUDIENCE") ?? (preset && "authenticated"),
    proof: readProof(read, issuer, keysUrl),
    /** The addresses to which the dashboard leads people to sign in and out. */
    signInUrl: read.url("PARLEY_SIGN_IN_URL", WEB),
    signOutUrl: read.url("PARLEY_SIGN_OUT_URL", WEB)
  }
}

/**
 * A secret, or the keys of a provider: at an address, or found by the issuer. Never both, because a token must not
 * choose how it is verified.
 */
const readProof = (read: EnvironmentReader, issuer?: string, keysUrl?: string): SessionProof => {
  const secret = read.secret("PARLEY_SESSION_SECRET")
  const jwksUrl = read.text("PARLEY_SESSION_JWKS_URL")
  if (jwksUrl !== undefined && secret !== undefined) {
    read.problem(
      "PARLEY_SESSION_JWKS_URL",
      "expected not to be set beside PARLEY_SESSION_SECRET: tokens are signed with one or the other"
    )
  }
  if (secret !== undefined) return { _tag: "Secret", secret }
  if (jwksUrl !== undefined) {
    read.valid("PARLEY_SESSION_JWKS_URL", SAFE, isProviderAddress)
    return { _tag: "Keys", jwksUrl }
  }
  if (issuer === undefined) return undefined
  const expected = `${SAFE}, below which the provider describes itself; any other text needs PARLEY_SESSION_JWKS_URL or PARLEY_SESSION_SECRET beside it`
  read.valid("PARLEY_SESSION_ISSUER", expected, isIssuerAddress)
  return { _tag: "Keys", jwksUrl: keysUrl }
}
