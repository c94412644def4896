import type { SessionPreset } from "./sessionSettings.ts"

/** The claims of a token that its provider signed. */
export type Claims = Readonly<Record<string, unknown>>

/** The rules for the session tokens of an identity provider that go beyond OpenID Connect. */
export interface PresetRules {
  /**
   * The cookie in which the provider's library stores a token that Parley can read; undefined if the application sets
   * the cookie.
   */
  readonly cookieOf: (issuer: string) => string | undefined
  /** The path of the provider's keys below the issuer; undefined if the discovery document names their address. */
  readonly keysPath: string | undefined
  /** The audience of the provider's tokens; undefined if each application has a different one. */
  readonly audienceOf: (issuer: string) => string | undefined
  /** The claim that names the application for which a token was issued. */
  readonly audienceClaim: "aud" | "azp"
  /** The audience of tokens in the provider's own cookie, accepted in addition to the application's audience. */
  readonly cookieAudience?: string
  /** The type (`typ`) of tokens in the provider's own cookie. */
  readonly cookieType?: string
  /** The claims that may contain the person's address (below: the name). The first claim with a text counts. */
  readonly emailClaims: ReadonlyArray<string>
  readonly nameClaims: ReadonlyArray<string>
  /** True for a token that the provider signs with the same keys for another purpose than a person's session. */
  readonly isForeign: (claims: Claims) => boolean
}

const none = (): undefined => undefined

const OPENID: PresetRules = {
  cookieOf: none,
  keysPath: undefined,
  audienceOf: none,
  audienceClaim: "aud",
  emailClaims: ["email"],
  nameClaims: ["name"],
  isForeign: () => false
}

const KEY_SET_PATH = "/.well-known/jwks.json"

const PRESETS: Readonly<Record<SessionPreset, PresetRules>> = {
  supabase: {
    ...OPENID,
    cookieOf: (issuer) => {
      const project = URL.parse(issuer)?.hostname.split(".")[0]
      return project === undefined ? undefined : `sb-${project}-auth-token`
    },
    keysPath: KEY_SET_PATH,
    audienceOf: () => "authenticated",
    nameClaims: ["user_metadata.full_name", "user_metadata.name"],
    // Supabase's API keys of a project (anon, service_role) are tokens of the same issuer.
    isForeign: ({ role }) => role !== "authenticated"
  },
  auth0: { ...OPENID, nameClaims: ["name", "nickname"] },
  clerk: {
    ...OPENID,
    cookieOf: () => "__session",
    keysPath: KEY_SET_PATH,
    audienceClaim: "azp",
    // Clerk's tokens for templates and OAuth applications name no session; a pending session counts as signed out.
    isForeign: ({ sid, sts = "active" }) => typeof sid !== "string" || sts !== "active"
  },
  keycloak: {
    ...OPENID,
    nameClaims: ["name", "preferred_username"],
    isForeign: ({ preferred_username: name }) => typeof name === "string" && name.startsWith("service-account-")
  },
  "better-auth": {
    ...OPENID,
    cookieOf: (issuer) => `${issuer.startsWith("https:") ? "__Secure-" : ""}better-auth.session_data`,
    keysPath: "/api/auth/jwks",
    audienceOf: (issuer) => issuer,
    cookieAudience: "better-auth:session-cache",
    cookieType: "better-auth.session-cache+jwt",
    emailClaims: ["email", "user.email"],
    nameClaims: ["name", "user.name"]
  }
}

/** The rules of a preset; without a preset, the rules of any OpenID provider. */
export const presetRules = (preset: SessionPreset | undefined): PresetRules =>
  preset === undefined ? OPENID : PRESETS[preset]

/** The settings that follow from a provider's issuer; each is undefined if the issuer does not determine it. */
export interface PresetDefaults {
  readonly cookie: string | undefined
  readonly jwksUrl: string | undefined
  readonly audience: string | undefined
}

/** The settings that follow from a preset and the provider's issuer. */
export const presetDefaults = (preset: SessionPreset, issuer: string): PresetDefaults => {
  const { audienceOf, cookieOf, keysPath } = presetRules(preset)
  const jwksUrl = keysPath === undefined ? undefined : `${issuer.replace(/\/$/, "")}${keysPath}`
  return { cookie: cookieOf(issuer), jwksUrl, audience: audienceOf(issuer) }
}
