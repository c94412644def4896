import {
  isIssuerAddress,
  isProviderAddress,
  presetDefaults,
  SESSION_PRESETS,
  type SessionPreset
} from "@parley/adapters-http/settings"
import { Redacted } from "effect"
import type { EnvironmentReader } from "./EnvironmentReader.ts"

const WEB = ["https:", "http:"]
const SAFE = "an address that begins with https:// (http:// on this machine)"
/** The largest value of `PARLEY_SESSION_MAX_AGE`: a year, in seconds. */
const LONGEST_AGE = 31_536_000
/** Claims of Supabase and Clerk whose contents people can change themselves. */
const CHANGEABLE = /^(?:user|unsafe)_metadata\b/

const EXAMPLES: Readonly<Record<SessionPreset, string>> = {
  supabase: "https://<project>.supabase.co/auth/v1",
  auth0: "https://<tenant>.auth0.com/",
  clerk: "https://clerk.<your domain>",
  keycloak: "https://<host>/realms/<realm>",
  "better-auth": "its baseURL, https://app.example.com"
}

/** The way in which session tokens are verified; undefined if only the development sign-in issues sessions. */
type SessionProof =
  /** Shared secrets. There are several while a secret is rotated: the old one and the new one. */
  | { readonly _tag: "Secret"; readonly secrets: ReadonlyArray<Redacted.Redacted> }
  /** The keys that the identity provider publishes, at `jwksUrl` or at the address in its discovery document. */
  | { readonly _tag: "Keys"; readonly jwksUrl: string | undefined }
  /** This server signs people in by e-mail and issues their sessions. Without a secret it generates one. */
  | { readonly _tag: "Own"; readonly secrets: ReadonlyArray<Redacted.Redacted> }
  | undefined

export type SessionConfig = ReturnType<typeof readSession>

/**
 * Reads the settings of sessions. If a preset names the identity provider, further settings follow from its issuer.
 *
 * @param sendsMails true if a mail server is set, so that people sign in by e-mail if there is no identity provider
 */
export const readSession = (read: EnvironmentReader, sendsMails: boolean) => {
  const preset = read.choice("PARLEY_SESSION_PRESET", SESSION_PRESETS)
  const issuer = read.text("PARLEY_SESSION_ISSUER")
  const cookieName = read.valid("PARLEY_SESSION_COOKIE", "a cookie name (letters, digits, - and _)", (name) =>
    /^[\w!#$%&'*+.^`|~-]+$/.test(name)
  )
  if (preset !== undefined && URL.parse(issuer ?? "") === null) {
    const expected = `the address of the provider, such as ${EXAMPLES[preset]}`
    read.problem("PARLEY_SESSION_ISSUER", `expected ${expected}, since PARLEY_SESSION_PRESET is set`)
  }
  const defaults = preset && presetDefaults(preset, issuer ?? "")
  const proof = readProof(read, issuer, defaults?.jwksUrl)
  const isOwn = sendsMails && issuer === undefined && preset === undefined && proof?._tag !== "Keys"
  return {
    preset,
    issuer,
    cookieName: cookieName ?? defaults?.cookie ?? "parley_session",
    audience: read.text("PARLEY_SESSION_AUDIENCE") ?? defaults?.audience,
    proof: isOwn ? { _tag: "Own" as const, secrets: proof?.secrets ?? [] } : proof,
    /** Longest lifetime of a session token, in seconds. */
    maxAgeSeconds: read.integer("PARLEY_SESSION_MAX_AGE", 1, LONGEST_AGE) ?? 86_400,
    userClaim:
      read.valid(
        "PARLEY_SESSION_USER_CLAIM",
        "a claim that people cannot change themselves",
        (claim) => !CHANGEABLE.test(claim)
      ) ?? "sub",
    /** The claims with the person's address and name; undefined for the preset's claims or the standard ones. */
    emailClaim: read.text("PARLEY_SESSION_EMAIL_CLAIM"),
    nameClaim: read.text("PARLEY_SESSION_NAME_CLAIM"),
    /** The claim with an operator's role. */
    roleClaim:
      read.valid(
        "PARLEY_SESSION_ROLE_CLAIM",
        "a claim that people cannot change themselves",
        (claim) => !CHANGEABLE.test(claim)
      ) ?? "parley_role",
    /** Longest time in seconds since an operator signed in for writes to be allowed; undefined for the default. */
    stepUpSeconds: read.integer("PARLEY_STEP_UP_SECONDS", 1, LONGEST_AGE),
    /** The addresses to which the dashboard sends people for signing in and out. */
    signInUrl: read.url("PARLEY_SIGN_IN_URL", WEB),
    signOutUrl: read.url("PARLEY_SIGN_OUT_URL", WEB)
  }
}

/**
 * Reads either a shared secret, or the address of a provider's keys, which the issuer's discovery document may name.
 * Both together are refused, because a token must not choose the way in which it is verified.
 */
const readProof = (read: EnvironmentReader, issuer?: string, keysUrl?: string): SessionProof => {
  const expectedSecrets = "a secret, or several separated by commas, and none of them empty"
  const secrets = read.valid("PARLEY_SESSION_SECRET", expectedSecrets, (text) => !secretsIn(text).includes(""))
  const jwksUrl = read.text("PARLEY_SESSION_JWKS_URL")
  if (jwksUrl !== undefined && secrets !== undefined) {
    read.problem(
      "PARLEY_SESSION_JWKS_URL",
      "expected not to be set beside PARLEY_SESSION_SECRET: tokens are signed with one or the other"
    )
  }
  if (secrets !== undefined)
    return { _tag: "Secret", secrets: secretsIn(secrets).map((secret) => Redacted.make(secret)) }
  if (jwksUrl !== undefined) {
    read.valid("PARLEY_SESSION_JWKS_URL", SAFE, isProviderAddress)
    return { _tag: "Keys", jwksUrl }
  }
  if (issuer === undefined) return undefined
  const expected = `${SAFE}, below which the provider describes itself; any other text needs PARLEY_SESSION_JWKS_URL or PARLEY_SESSION_SECRET beside it`
  read.valid("PARLEY_SESSION_ISSUER", expected, isIssuerAddress)
  return { _tag: "Keys", jwksUrl: keysUrl }
}

/**
 * The secrets in a text: its parts between commas, and also the whole text, because a secret may itself contain a
 * comma.
 */
const secretsIn = (text: string): ReadonlyArray<string> => {
  const parts = text.split(",").map((secret) => secret.trim())
  return parts.length === 1 ? parts : [...parts, text]
}
