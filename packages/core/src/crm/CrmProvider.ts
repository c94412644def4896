import { Context, type Effect, Layer, type Redacted } from "effect"
import type { CrmFailed } from "./errors.ts"
import { noSecrets } from "../secrets/noSecrets.ts"
import { SecretBox } from "../secrets/SecretBox.ts"

/** The two slots for CRM providers of a server. */
export const CRM_PROVIDERS = ["provider_one", "provider_two"] as const
export type CrmProviderId = (typeof CRM_PROVIDERS)[number]

/** The person's connected account at the provider, as far as the provider reports it. */
export interface CrmAccount {
  readonly id?: string
  /** For people to recognise it by, for example a company's name or domain. The provider's text: shown, never trusted. */
  readonly name?: string
}

/** The provider's response to a code or a refresh token (RFC 6749, 5.1). */
export interface CrmTokens {
  readonly accessToken: Redacted.Redacted<string>
  /** Undefined in an answer to a refresh: the one that was sent stays valid. */
  readonly refreshToken?: Redacted.Redacted<string>
  readonly tokenType: string
  /** Seconds from now; undefined if the provider does not report it. */
  readonly expiresInSeconds?: number
  readonly scope?: string
  readonly account?: CrmAccount
}

export interface AuthorizationInput {
  readonly redirectUri: string
  readonly state: string
  /** RFC 7636: set exactly if the provider `usesPkce`; the address carries only its S256 challenge. */
  readonly codeVerifier?: string
}

export interface ExchangeInput extends AuthorizationInput {
  /** The query that the provider sent the browser back with: the code, the state, perhaps `iss`. */
  readonly callback: URLSearchParams
}

/** One of them is enough; the refresh token is revoked first, which includes the access token. */
export interface RevokeInput {
  readonly accessToken: Redacted.Redacted<string>
  readonly refreshToken?: Redacted.Redacted<string>
}

/**
 * A CRM to which people grant access by OAuth 2.0 (RFC 6749, authorization code). Each call has its own time limit. It
 * sends a request that uses up a code or a refresh token once, and never retries it. Texts of the provider leave it
 * only as an error's `cause`, tokens not even there.
 */
export interface CrmProvider {
  readonly id: CrmProviderId
  /** The name for people, for example "HubSpot". */
  readonly name: string
  /** True if it supports a PKCE verifier (RFC 7636), with S256 only. */
  readonly usesPkce: boolean
  /**
   * Its issuer (RFC 9207), which every callback must name. If it is undefined, a callback with any issuer is refused.
   */
  readonly issuer: string | undefined
  /**
   * True if revoking tokens ends only their own approval, and another approval of the same account continues. If this
   * is false, left out or unknown, a replaced approval is revoked only if it was of another account.
   */
  readonly revokesApprovalAlone?: boolean
  /** The address that the browser is sent to. Makes no call. */
  authorizationUrl(input: AuthorizationInput): Effect.Effect<URL>
  /** Redeems the code of a callback whose state was matched before. At most one call of the token endpoint. */
  exchange(input: ExchangeInput): Effect.Effect<CrmTokens, CrmFailed>
  /** Uses a refresh token, which the provider may rotate. At most one call of the token endpoint. */
  refresh(refreshToken: Redacted.Redacted<string>): Effect.Effect<CrmTokens, CrmFailed>
  /** Revokes the tokens (RFC 7009, or the provider's own method). */
  revoke(tokens: RevokeInput): Effect.Effect<"revoked" | "unsupported", CrmFailed>
}

/** The providers that this server is set up for; perhaps none. */
export class CrmProviders extends Context.Service<CrmProviders, ReadonlyMap<CrmProviderId, CrmProvider>>()(
  "@parley/core/crm/CrmProviders"
) {}

/** No CRM: no provider is configured, and nothing can be sealed. */
export const noCrmLayer: Layer.Layer<CrmProviders | SecretBox> = Layer.merge(
  Layer.succeed(CrmProviders, new Map()),
  Layer.succeed(SecretBox, noSecrets)
)
