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
/** The longest that `PARLEY_SESSION_MAX_AGE` allows: a year, in seconds. */
const LONGEST_AGE = 31_536_000
/** Objects that people can change themselves at Supabase and Clerk. */
const CHANGEABLE = /^(?:user|unsafe)_metadata\b/

const EXAMPLES: Readonly<Record<SessionPreset, string>> = {
  supabase: "https://<project>.supabase.co/auth/v1",
  auth0: "https://<tenant>.auth0.com/",
  clerk: "https://clerk.<your domain>",
  keycloak: "https://<host>/realms/<realm>",
  "better-auth": "its baseURL, https://app.example.com"
}

/** The proof that a session token is genuine; undefined if only the development sign-in proves sessions. */
type SessionProof =
  /** Several secrets are the old and the new one while the provider changes it. */
  | { readonly _tag: "Secret"; readonly secrets: ReadonlyArray<Redacted.Redacted> }
  /** The keys that the identity provider publishes, at an address or at the one in its discovery document. */
  | { readonly _tag: "Keys"; readonly jwksUrl: string | undefined }
  /** This server signs people in by e-mail, and signs their sessions; without a secret it generates one. */
  | { readonly _tag: "Own"; readonly secrets: ReadonlyArray<Redacted.Redacted> }
  | undefined

export type SessionConfig = ReturnType<typeof readSession>

/**
 * The settings of sessions. A preset names the identity provider, from whose issuer others follow.
 *
 * @param sendsMails true if people can sign in by e-mail, unless there is an identity provider
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
    /** Longest lifetime of a token. */
    maxAgeSeconds: read.integer("PARLEY_SESSION_MAX_AGE", 1, LONGEST_AGE) ?? 86_400,
    userClaim:
      read.valid(
        "PARLEY_SESSION_USER_CLAIM",
        "a claim that people cannot change themselves",
        (claim) => !CHANGEABLE.test(claim)
      ) ?? "sub",
    /** The claims of the person's address and name; undefined uses the preset's, or the usual ones. */
    emailClaim: read.text("PARLEY_SESSION_EMAIL_CLAIM"),
    nameClaim: read.text("PARLEY_SESSION_NAME_CLAIM"),
    /** The claim of an operator's role. */
    roleClaim:
      read.valid(
        "PARLEY_SESSION_ROLE_CLAIM",
        "a claim that people cannot change themselves",
        (claim) => !CHANGEABLE.test(claim)
      ) ?? "parley_role",
    /** The longest time since the sign-in of an operator who writes; undefined uses the default. */
    stepUpSeconds: read.integer("PARLEY_STEP_UP_SECONDS", 1, LONGEST_AGE),
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

/** The secrets in a text: between its commas, and as a whole, because a secret may contain a comma itself. */
const secretsIn = (text: string): ReadonlyArray<string> => {
  const parts = text.split(",").map((secret) => secret.trim())
  return parts.length === 1 ? parts : [...parts, text]
}
