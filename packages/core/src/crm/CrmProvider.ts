import { Context, type Effect, Layer, type Redacted } from "effect"
import type { CrmFailed } from "./errors.ts"
import { noSecrets } from "../secrets/noSecrets.ts"
import { SecretBox } from "../secrets/SecretBox.ts"

/** The two slots for CRM providers of a server. */
export const CRM_PROVIDERS = ["provider_one", "provider_two"] as const
export type CrmProviderId = (typeof CRM_PROVIDERS)[number]

/** The person's account at the provider, with the data that the provider reports. */
export interface CrmAccount {
  readonly id?: string
  /**
   * The name by which people recognise the account, for example a company's name or domain. A text from the provider:
   * displayed, but never trusted.
   */
  readonly name?: string
}

/** The provider's response to a code or a refresh token (RFC 6749, 5.1). */
export interface CrmTokens {
  readonly accessToken: Redacted.Redacted<string>
  /** Undefined in the response to a refresh: the refresh token that was sent stays valid. */
  readonly refreshToken?: Redacted.Redacted<string>
  readonly tokenType: string
  /** The lifetime of the access token in seconds; undefined if the provider does not report it. */
  readonly expiresInSeconds?: number
  readonly scope?: string
  readonly account?: CrmAccount
}

export interface AuthorizationInput {
  readonly redirectUri: string
  readonly state: string
  /** RFC 7636: set if and only if the provider `usesPkce`; the address contains only its S256 challenge. */
  readonly codeVerifier?: string
}

export interface ExchangeInput extends AuthorizationInput {
  /** The query with which the provider sent the browser back: the code, the state, and possibly `iss`. */
  readonly callback: URLSearchParams
}

/** The tokens to revoke; one is enough. The refresh token is revoked first, which also revokes the access token. */
export interface RevokeInput {
  readonly accessToken: Redacted.Redacted<string>
  readonly refreshToken?: Redacted.Redacted<string>
}

/**
 * A CRM to which people grant access by OAuth 2.0 (RFC 6749, authorization code). Each call has a time limit of its
 * own. A request that uses up a code or a refresh token is sent once and never retried. Texts of the provider leave
 * this port only as the `cause` of an error, and tokens not even there.
 */
export interface CrmProvider {
  readonly id: CrmProviderId
  /** The display name, for example "HubSpot". */
  readonly name: string
  /** True if the provider supports a PKCE verifier (RFC 7636); S256 is used. */
  readonly usesPkce: boolean
  /**
   * The provider's issuer (RFC 9207), which every callback must contain. If undefined, a callback that contains an
   * issuer is refused.
   */
  readonly issuer: string | undefined
  /**
   * True if revoking tokens ends only the approval to which they belong, and other approvals of the same account
   * continue. If false or undefined, a replaced approval is revoked only if it belongs to another account.
   */
  readonly revokesApprovalAlone?: boolean
  /** Returns the address to which the browser is sent. Makes no request. */
  authorizationUrl(input: AuthorizationInput): Effect.Effect<URL>
  /**
   * Exchanges the code of a callback for tokens; the caller has matched the callback's state before. Calls the token
   * endpoint at most once.
   */
  exchange(input: ExchangeInput): Effect.Effect<CrmTokens, CrmFailed>
  /** Uses a refresh token, which the provider may replace. Calls the token endpoint at most once. */
  refresh(refreshToken: Redacted.Redacted<string>): Effect.Effect<CrmTokens, CrmFailed>
  /** Revokes tokens (RFC 7009, or the provider's own method). */
  revoke(tokens: RevokeInput): Effect.Effect<"revoked" | "unsupported", CrmFailed>
}

/** The providers that are configured on this server; possibly none. */
export class CrmProviders extends Context.Service<CrmProviders, ReadonlyMap<CrmProviderId, CrmProvider>>()(
  "@parley/core/crm/CrmProviders"
) {}

/** For servers without a CRM: no provider is configured, and no token can be sealed. */
export const noCrmLayer: Layer.Layer<CrmProviders | SecretBox> = Layer.merge(
  Layer.succeed(CrmProviders, new Map()),
  Layer.succeed(SecretBox, noSecrets)
)
