import { isIssuerAddress, isProviderAddress, SESSION_PRESETS } from "@parley/adapters-http/settings"
import type { EnvironmentReader } from "../EnvironmentReader.ts"
import type { SessionConfig } from "./SessionConfig.ts"

const WEB = ["https:", "http:"]
const SAFE = "an address that begins with https:// (http:// on this machine)"

/** Reads the settings of sessions from the environment. */
export const readSession = (read: EnvironmentReader): SessionConfig => {
  const preset = read.choice("PARLEY_SESSION_PRESET", SESSION_PRESETS)
  const issuer = read.text("PARLEY_SESSION_ISSUER")
  const cookieName = readCookieName(read)
  const audience = read.text("PARLEY_SESSION_AUDIENCE")
  const proof = readProof(read, issuer)
  const pages = { signInUrl: read.url("PARLEY_SIGN_IN_URL", WEB), signOutUrl: read.url("PARLEY_SIGN_OUT_URL", WEB) }
  const told = { cookieName: cookieName ?? "parley_session", preset, proof, issuer, audience, ...pages }
  return preset === undefined ? told : { ...told, ...supabaseSession(read, { cookieName, audience, issuer, proof }) }
}

type ToldSession = Pick<SessionConfig, "audience" | "issuer" | "proof"> & { readonly cookieName: string | undefined }

/** The defaults of a Supabase project: its own cookie, audience and address of keys. */
const supabaseSession = (
  read: EnvironmentReader,
  { audience, cookieName, issuer = "", proof }: ToldSession
): Pick<SessionConfig, "audience" | "cookieName" | "proof"> => {
  const project = URL.parse(issuer)?.hostname.split(".")[0]
  if (project === undefined) {
    read.problem(
      "PARLEY_SESSION_ISSUER",
      "expected the address of the project's sign-in, such as https://<project>.supabase.co/auth/v1, since PARLEY_SESSION_PRESET is set"
    )
  }
  const isDiscovery = proof?._tag === "Keys" && proof.jwksUrl === undefined
  return {
    audience: audience ?? "authenticated",
    cookieName: cookieName ?? `sb-${project}-auth-token`,
    proof: isDiscovery ? { ...proof, jwksUrl: `${issuer.replace(/\/$/, "")}/.well-known/jwks.json` } : proof
  }
}

/**
 * A secret, or the keys of a provider: at an address, or found by the issuer. Never both, because a token must not
 * choose how it is verified.
 */
const readProof = (read: EnvironmentReader, issuer: string | undefined): SessionConfig["proof"] => {
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
    if (!isProviderAddress(jwksUrl)) read.problem("PARLEY_SESSION_JWKS_URL", `expected ${SAFE}`)
    return { _tag: "Keys", jwksUrl }
  }
  if (issuer === undefined) return undefined
  if (!isIssuerAddress(issuer)) {
    read.problem(
      "PARLEY_SESSION_ISSUER",
      `expected ${SAFE}, below which the provider describes itself; any other text needs PARLEY_SESSION_JWKS_URL or PARLEY_SESSION_SECRET beside it`
    )
  }
  return { _tag: "Keys", jwksUrl: undefined }
}

const readCookieName = (read: EnvironmentReader): string | undefined => {
  const name = read.text("PARLEY_SESSION_COOKIE")
  if (name !== undefined && !/^[\w!#$%&'*+.^`|~-]+$/.test(name)) {
    read.problem("PARLEY_SESSION_COOKIE", "expected a cookie name (letters, digits, - and _)")
  }
  return name
}
