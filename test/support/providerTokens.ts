import type { SessionPreset } from "../../packages/adapters-http/src/settings.ts"

/** A token's header and claims, as a provider signs them. */
export interface TokenFacts {
  readonly header: Readonly<Record<string, unknown>>
  readonly claims: Readonly<Record<string, unknown>>
}

/** The headers and claims in which another token differs from a session token; undefined leaves one out. */
export interface Changes {
  readonly header?: Readonly<Record<string, unknown>>
  readonly claims?: Readonly<Record<string, unknown>>
}

/** The tokens and cookies of one identity provider, as its public documentation shows them. */
export interface ProviderFixture {
  readonly preset: SessionPreset | undefined
  /** The path of its issuer on its host, to the letter. */
  readonly issuerPath: string
  /** The path of its keys on its host; undefined if it signs with a secret. */
  readonly keysPath: string | undefined
  readonly algorithm: "RS256" | "ES256" | "EdDSA" | "HS256"
  /** The audience to configure; undefined if the preset knows it. */
  readonly audience: string | undefined
  /** The claims of addresses and names, if the guide names others than the usual ones. */
  readonly personClaims?: { readonly emailClaim: string; readonly nameClaim: string }
  /** A person's session token, issued at a time in seconds. */
  readonly session: (issuer: string, iat: number) => TokenFacts
  readonly person: { readonly userId: string; readonly email: string | undefined; readonly name: string | undefined }
  /** The cookies in which a browser sends it over https. */
  readonly cookies: (token: string) => ReadonlyArray<string>
  /** Other tokens that this provider signs. */
  readonly foreign: Readonly<Record<string, Changes>>
}

const PERSON = "7d9a2c64-2f6a-4c0e-9a53-1f0d4c3b2a10"
const EMAIL = "ann@example.com"
const NAME = "Ann Example"
const ann = { userId: PERSON, email: EMAIL, name: NAME }
const ownCookie = (token: string) => [`__Host-parley_session=${token}`]
const LOGOUT_EVENT = { "http://schemas.openid.net/event/backchannel-logout": {} }

/** OpenID Connect Core 1.0, 2: an ID token. */
const plain: ProviderFixture = {
  preset: undefined,
  issuerPath: "",
  keysPath: "/keys",
  algorithm: "RS256",
  audience: "parley",
  session: (iss, iat) => ({
    header: {},
    claims: {
      ...{ iss, sub: PERSON, aud: "parley", exp: iat + 3_600, iat, auth_time: iat, nonce: "n-0S6_WzA2Mj" },
      ...{ at_hash: "77QmUPtjPfzWtF2AnpK9RQ", email: EMAIL, email_verified: true, name: NAME }
    }
  }),
  person: ann,
  cookies: ownCookie,
  foreign: {
    "a logout token (OpenID Connect Back-Channel Logout, 2.4)": {
      header: { typ: "logout+jwt" },
      claims: { events: LOGOUT_EVENT, sid: "08a5019c" }
    },
    "a logout token without a type": { claims: { events: LOGOUT_EVENT, nonce: undefined } },
    "an access token of a client for itself (RFC 9068)": {
      header: { typ: "at+jwt" },
      claims: { sub: "s6BhdRkqt3", client_id: "s6BhdRkqt3" }
    },
    "a request object (RFC 9101)": { header: { typ: "oauth-authz-req+jwt" } },
    "a proof of possession (RFC 9449)": { header: { typ: "dpop+jwt" } },
    "a client's assertion": { header: { typ: "client-authentication+jwt" } },
    "a security event (RFC 8417)": { header: { typ: "secevent+jwt" }, claims: { events: { x: {} } } }
  }
}

/** https://supabase.com/docs/guides/auth/jwt-fields */
const supabase: ProviderFixture = {
  preset: "supabase",
  issuerPath: "/auth/v1",
  keysPath: "/auth/v1/.well-known/jwks.json",
  algorithm: "ES256",
  audience: undefined,
  session: (iss, iat) => ({
    header: { typ: "JWT" },
    claims: {
      ...{ iss, sub: PERSON, aud: "authenticated", exp: iat + 3_600, iat, email: EMAIL, phone: "" },
      app_metadata: { provider: "email", providers: ["email"] },
      user_metadata: { email: EMAIL, email_verified: true, full_name: NAME, phone_verified: false, sub: PERSON },
      ...{ role: "authenticated", aal: "aal1", amr: [{ method: "password", timestamp: iat }] },
      ...{ session_id: "b8a1f1c2-9f4f-4f6b-a1b3-6e6b5a0d4c11", is_anonymous: false }
    }
  }),
  person: ann,
  cookies: (token) => {
    const session = { access_token: token, token_type: "bearer", expires_in: 3_600, refresh_token: "v4ulq5", user: {} }
    const value = `base64-${Buffer.from(JSON.stringify(session)).toString("base64url")}`
    const middle = Math.floor(value.length / 2)
    return [`sb-127-auth-token.0=${value.slice(0, middle)}`, `sb-127-auth-token.1=${value.slice(middle)}`]
  },
  foreign: {
    "the service_role key of the project": {
      claims: { iss: "supabase", ref: "abcdefgh", role: "service_role", sub: undefined, aud: undefined }
    },
    "the anon key of the project": {
      claims: { iss: "supabase", ref: "abcdefgh", role: "anon", sub: undefined, aud: undefined }
    },
    "a token of service_role with a subject": { claims: { role: "service_role" } },
    "a token of anon with a subject": { claims: { role: "anon" } },
    "a token of a database role": { claims: { role: "postgres" } },
    "a token without a role": { claims: { role: undefined } },
    "a token of an OAuth client": { claims: { aud: "9a8b7c6d-oauth-client" } }
  }
}

/** https://auth0.com/docs/secure/tokens/access-tokens/access-token-profiles */
const auth0: ProviderFixture = {
  preset: "auth0",
  issuerPath: "/",
  keysPath: "/keys",
  algorithm: "RS256",
  audience: "https://app.example.com/parley",
  personClaims: { emailClaim: "https://app.example.com/email", nameClaim: "https://app.example.com/name" },
  session: (iss, iat) => ({
    header: { typ: "JWT" },
    claims: {
      ...{ iss, sub: "auth0|6553da60a54af58e29493993", iat, exp: iat + 86_400, scope: "openid profile email" },
      ...{ aud: ["https://app.example.com/parley", `${iss}userinfo`], azp: "K1AUPhZq8mRi0Q0pjhkfu1D7y6KjDQja" },
      ...{ "https://app.example.com/email": EMAIL, "https://app.example.com/name": NAME }
    }
  }),
  person: { ...ann, userId: "auth0|6553da60a54af58e29493993" },
  cookies: ownCookie,
  foreign: {
    "a machine's token": {
      claims: { sub: "awZfdIir8YFdGZWkvCejDoUb7SjTDicx@clients", gty: "client-credentials" }
    },
    "a machine's token in the profile of RFC 9068": {
      header: { typ: "at+jwt" },
      claims: { sub: "awZfdIir8YFdGZWkvCejDoUb7SjTDicx", client_id: "awZfdIir8YFdGZWkvCejDoUb7SjTDicx" }
    },
    "the ID token of an application": { claims: { aud: "K1AUPhZq8mRi0Q0pjhkfu1D7y6KjDQja" } },
    "an access token for the user info alone": { claims: { aud: "https://tenant.auth0.com/userinfo" } }
  }
}

/** https://clerk.com/docs/guides/sessions/session-tokens */
const clerk: ProviderFixture = {
  preset: "clerk",
  issuerPath: "",
  keysPath: "/.well-known/jwks.json",
  algorithm: "RS256",
  audience: "https://app.example.com",
  session: (iss, iat) => ({
    header: { cat: "cl_B7d4PD111AAA", typ: "JWT" },
    claims: {
      ...{ azp: "https://app.example.com", exp: iat + 60, fva: [7, -1], iat, iss, nbf: iat - 10 },
      ...{ jti: "9f8c7b6a5d4e3f2a1b0c", sid: "sess_2fGk0jX9pQ", sts: "active", sub: "user_2fGjEl9QnT", v: 2 }
    }
  }),
  person: { userId: "user_2fGjEl9QnT", email: undefined, name: undefined },
  cookies: (token) => [`__session=${token}`, "__client_uat=1713158400"],
  foreign: {
    "a session of another application": { claims: { azp: "https://other.example.com" } },
    "a session of a page without an origin": { claims: { azp: undefined } },
    "a session of another application with our audience": {
      claims: { azp: "https://other.example.com", aud: "https://app.example.com" }
    },
    "a list of applications": { claims: { azp: ["https://app.example.com"] } },
    "a pending session": { claims: { sts: "pending" } },
    "a token of a template": { claims: { sid: undefined, aud: "hasura" } },
    "a token of an OAuth application": {
      header: { typ: "at+jwt" },
      claims: { azp: undefined, sid: undefined, client_id: "3eYkHn", scope: "profile" }
    }
  }
}

/** https://www.keycloak.org/docs/latest/server_admin, audience support; the claims of an access token with it. */
const keycloak: ProviderFixture = {
  preset: "keycloak",
  issuerPath: "/realms/one",
  keysPath: "/keys",
  algorithm: "RS256",
  audience: "parley",
  session: (iss, iat) => ({
    header: { typ: "JWT" },
    claims: {
      ...{ exp: iat + 300, iat, auth_time: iat, jti: "17b94735-025f-4e87-a74e-83c315d1827f", iss, sub: PERSON },
      ...{
        aud: ["parley", "account"],
        typ: "Bearer",
        azp: "web",
        sid: "fd0d6f25-e7ca-4640-bc23-0d7df8ab1f9e",
        acr: "1"
      },
      "allowed-origins": ["https://app.example.com"],
      realm_access: { roles: ["default-roles-one", "offline_access", "uma_authorization"] },
      resource_access: { account: { roles: ["manage-account", "view-profile"] } },
      ...{ scope: "openid email profile", email_verified: true, name: NAME, preferred_username: "ann" },
      ...{ given_name: "Ann", family_name: "Example", email: EMAIL }
    }
  }),
  person: ann,
  cookies: ownCookie,
  foreign: {
    "a refresh token": { claims: { typ: "Refresh" } },
    "an offline token": { claims: { typ: "Offline" } },
    "a logout token": { header: { typ: "logout+jwt" }, claims: { typ: "Logout", events: LOGOUT_EVENT } },
    "a link that sets a new password": { claims: { typ: "reset-credentials" } },
    "a link that verifies an address": { claims: { typ: "verify-email" } },
    "a client's initial access": { claims: { typ: "InitialAccessToken" } },
    "a token of a service account": { claims: { preferred_username: "service-account-web", azp: "web" } },
    "a token for the account pages alone": { claims: { aud: "account" } },
    "a token issued to us for others": { claims: { aud: "account", azp: "parley" } }
  }
}

/** https://better-auth.com/docs/plugins/jwt, `jwt({ sessionCookieCache: true })`. */
const betterAuth: ProviderFixture = {
  preset: "better-auth",
  issuerPath: "",
  keysPath: "/api/auth/jwks",
  algorithm: "EdDSA",
  audience: undefined,
  session: (iss, iat) => ({
    header: { typ: "better-auth.session-cache+jwt" },
    claims: {
      session: {
        id: "s1",
        userId: PERSON,
        token: "h0nV3Y",
        expiresAt: new Date((iat + 604_800) * 1_000).toISOString()
      },
      user: { id: PERSON, email: EMAIL, emailVerified: true, name: NAME, image: null },
      ...{ updatedAt: iat * 1_000, version: "1", sid: "h0nV3Y", sub: PERSON, iss, iat, exp: iat + 300 },
      aud: "better-auth:session-cache"
    }
  }),
  person: ann,
  cookies: (token) => ["better-auth.session_token=h0nV3Y.signature", `better-auth.session_data=${token}`],
  foreign: {
    "a token for an application of its OAuth provider": {
      header: { typ: "at+jwt" },
      claims: { aud: "https://api.example.com/mcp", azp: "client", client_id: "client" }
    },
    "an ID token of its OAuth provider": { header: { typ: "JWT" }, claims: { aud: "client" } }
  }
}

/** The providers of the guides; Supabase's older projects sign with a secret. */
export const providerFixtures: Readonly<Record<string, ProviderFixture>> = {
  "a plain OpenID provider": plain,
  "Supabase, with keys": supabase,
  "Supabase, with a secret": { ...supabase, keysPath: undefined, algorithm: "HS256" },
  Auth0: auth0,
  Clerk: clerk,
  Keycloak: keycloak,
  "better-auth": betterAuth
}

/** The facts of a session token with changes. */
export const changed = ({ claims, header }: TokenFacts, changes: Changes): TokenFacts => ({
  header: { ...header, ...changes.header },
  claims: { ...claims, ...changes.claims }
})

/** A token of better-auth's `/api/auth/token`, in which the claims are the person's row. */
export const betterAuthToken = (iss: string, iat: number): TokenFacts => ({
  header: {},
  claims: {
    ...{ iat, name: NAME, email: EMAIL, emailVerified: true, id: PERSON, role: "user", banned: false },
    ...{ sub: PERSON, exp: iat + 900, iss, aud: iss }
  }
})
