import type { CrmAccount } from "@parley/core/adapter"
import type { CrmProviderId } from "@parley/core"
import type { Redacted } from "effect"
import type { RefusalWords } from "./requests/refusal.ts"
import type { OutboundRequest } from "./requests/sendOnce.ts"
import type { JsonFields } from "./requests/tokenAnswer.ts"

/** Methods of client authentication at the token endpoint (RFC 6749, 2.3.1; `none`: a public client). */
export const CRM_TOKEN_AUTHS = ["client_secret_basic", "client_secret_post", "none"] as const
export type CrmTokenAuth = (typeof CRM_TOKEN_AUTHS)[number]

/** The facts from which an account is identified. */
export interface AccountLookupInput {
  /** The members of the token response. */
  readonly answer: JsonFields
  readonly accessToken: string
  readonly tokenUrl: string
  readonly clientId: string
  readonly clientSecret: string
}

/**
 * The ways to identify the account to which tokens belong: from the token response, or by one more request, which may
 * fail.
 */
export interface CrmAccountLookup {
  readonly inAnswer: (answer: JsonFields) => CrmAccount | undefined
  readonly request: (input: AccountLookupInput) => (OutboundRequest & { readonly url: string }) | undefined
  readonly inLookup: (looked: JsonFields) => CrmAccount | undefined
}

/** The facts about a provider that are the same for every registration. */
export interface CrmEndpoints {
  /** The provider's name for people. */
  readonly name: string
  /** Address of the authorization page for browsers; its own query is kept. */
  readonly authorizeUrl: string
  readonly tokenUrl: string
  /** The revocation endpoint (RFC 7009); if undefined, disconnecting only deletes the stored tokens. */
  readonly revokeUrl?: string | undefined
  /**
   * The provider's issuer in its callbacks (`iss`, RFC 9207) and ID tokens. If set, every callback must carry it;
   * otherwise a callback must carry none.
   */
  readonly issuer?: string | undefined
  readonly tokenAuth: CrmTokenAuth
  readonly scopes: ReadonlyArray<string>
  readonly accounts?: CrmAccountLookup | undefined
  /** The provider's own error codes that replace those of RFC 6749, in lower case. */
  readonly refusals?: RefusalWords | undefined
}

/** Time limits for the provider's responses, in milliseconds. */
export interface CrmLimits {
  /** Time limit of the request that redeems a code or a token. */
  readonly callMs: number
  /** Time limit of the account look-up that follows it. */
  readonly lookupMs: number
}

export const defaultCrmLimits: CrmLimits = { callMs: 10_000, lookupMs: 5_000 }

export interface OAuthCrmOptions extends CrmEndpoints {
  /** `provider_one` uses PKCE, `provider_two` does not. */
  readonly id: CrmProviderId
  readonly clientId: string
  /** The client secret; required unless `tokenAuth` is `none`. */
  readonly clientSecret: Redacted.Redacted<string> | undefined
  readonly limits?: Partial<CrmLimits> | undefined
}
