import type { SessionPreset } from "./sessionSettings.ts"

/** The claims of a token, as its provider signed them. */
export type Claims = Readonly<Record<string, unknown>>

/** The properties of an identity provider's session tokens that its issuer alone does not determine. */
export interface PresetRules {
  /** The cookie in which its library keeps a token that Parley can read; undefined if the application sets the cookie. */
  readonly cookieOf: (issuer: string) => string | undefined
  /** The path of its keys below the issuer; undefined if its discovery document names them. */
  readonly keysPath: string | undefined
  /** The audience of its tokens; undefined if each application has its own. */
  readonly audienceOf: (issuer: string) => string | undefined
  /** The claim that names the application. */
  readonly audienceClaim: "aud" | "azp"
  /** An audience of its own cookie, which counts beside the application's. */
  readonly cookieAudience?: string
  /** The type (`typ`) of tokens in its own cookie. */
  readonly cookieType?: string
  /** The claims with the address and the name of the person, the first that is there. */
  readonly emailClaims: ReadonlyArray<string>
  readonly nameClaims: ReadonlyArray<string>
  /** True for tokens that it signs with the same keys for another purpose than a person's session. */
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
    // The keys of a project (anon, service_role) are tokens of the same issuer.
    isForeign: ({ role }) => role !== "authenticated"
  },
  auth0: { ...OPENID, nameClaims: ["name", "nickname"] },
  clerk: {
    ...OPENID,
    cookieOf: () => "__session",
    keysPath: KEY_SET_PATH,
    audienceClaim: "azp",
    // Tokens of templates and of OAuth applications name no session; a pending session counts as signed out.
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

/** The rules of a preset; without one those of any OpenID provider. */
export const presetRules = (preset: SessionPreset | undefined): PresetRules =>
  preset === undefined ? OPENID : PRESETS[preset]

/** The settings that a provider's issuer determines; each undefined if it does not. */
export interface PresetDefaults {
  readonly cookie: string | undefined
  readonly jwksUrl: string | undefined
  readonly audience: string | undefined
}

/** Takes a preset and the provider's issuer; returns the settings that follow from them. */
export const presetDefaults = (preset: SessionPreset, issuer: string): PresetDefaults => {
  const { audienceOf, cookieOf, keysPath } = presetRules(preset)
  const jwksUrl = keysPath === undefined ? undefined : `${issuer.replace(/\/$/, "")}${keysPath}`
  return { cookie: cookieOf(issuer), jwksUrl, audience: audienceOf(issuer) }
}
