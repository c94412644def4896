import { Context, type Effect, type Redacted } from "effect"
import type { CrmFailed } from "./errors.ts"

/** The CRM providers that a server can know: two, whatever stands behind them. */
export const CRM_PROVIDERS = ["provider_one", "provider_two"] as const
export type CrmProviderId = (typeof CRM_PROVIDERS)[number]

/** The account at the provider that a person connected, as far as the provider tells. */
export interface CrmAccount {
  readonly id?: string
  /** For people to recognise it by, for example a company's name or domain. The provider's text: shown, never trusted. */
  readonly name?: string
}

/** What a provider gives for a code or a refresh token (RFC 6749, 5.1). */
export interface CrmTokens {
  readonly accessToken: Redacted.Redacted<string>
  /** Undefined in an answer to a refresh: the one that was sent stays valid. */
  readonly refreshToken?: Redacted.Redacted<string>
  readonly tokenType: string
  /** Seconds from now; undefined where the provider does not say. */
  readonly expiresInSeconds?: number
  readonly scope?: string
  readonly account?: CrmAccount
}

export interface AuthorizationInput {
  readonly redirectUri: string
  readonly state: string
  /** RFC 7636: given exactly where the provider `usesPkce`; the address carries its S256 challenge alone. */
  readonly codeVerifier?: string
}

export interface ExchangeInput extends AuthorizationInput {
  /** The query that the provider sent the browser back with: the code, the state, perhaps `iss`. */
  readonly callback: URLSearchParams
}

/** Either of them is enough; a provider is told of the refresh token first, which takes the access token with it. */
export interface RevokeInput {
  readonly accessToken: Redacted.Redacted<string>
  readonly refreshToken?: Redacted.Redacted<string>
}

/**
 * A CRM that people give access to by OAuth 2.0 (RFC 6749, authorization code). Each call has its own limit of time. It
 * sends a request that spends something (a code, a refresh token) once, and repeats none of them on its own. Texts of the
 * provider never leave it but as an error's `cause`, tokens not even there.
 */
export interface CrmProvider {
  readonly id: CrmProviderId
  /** What people know it by, for example "HubSpot". */
  readonly name: string
  /** Whether it takes a PKCE verifier (RFC 7636), with S256 and nothing less. */
  readonly usesPkce: boolean
  /**
   * What it calls itself (RFC 9207): every callback must name it. Where undefined, a callback that names any issuer is
   * refused.
   */
  readonly issuer: string | undefined
  /**
   * Taking tokens back ends what came of their own approval and nothing else: another approval of the same account goes on.
   * Where that is not known, false or left out: then the approval that a connection replaces is taken back only where it was
   * of another account.
   */
  readonly revokesApprovalAlone?: boolean
  /** The address that the browser is sent to. Makes no call. */
  authorizationUrl(input: AuthorizationInput): Effect.Effect<URL>
  /** Spends the code of a callback whose state was matched before. One call of the token endpoint at most. */
  exchange(input: ExchangeInput): Effect.Effect<CrmTokens, CrmFailed>
  /** Spends a refresh token, where the provider rotates them. One call of the token endpoint at most. */
  refresh(refreshToken: Redacted.Redacted<string>): Effect.Effect<CrmTokens, CrmFailed>
  /** Takes back what the tokens allow (RFC 7009, or what the provider has in its place). */
  revoke(tokens: RevokeInput): Effect.Effect<"revoked" | "unsupported", CrmFailed>
}

/** The providers that this server is set up for; perhaps none. */
export class CrmProviders extends Context.Service<CrmProviders, ReadonlyMap<CrmProviderId, CrmProvider>>()(
  "@parley/core/crm/CrmProviders"
) {}
