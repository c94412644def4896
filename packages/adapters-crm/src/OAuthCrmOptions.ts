import type { CrmAccount } from "@parley/core/adapter"
import type { CrmProviderId } from "@parley/core"
import type { Redacted } from "effect"
import type { RefusalWords } from "./requests/refusal.ts"
import type { OutboundRequest } from "./requests/sendOnce.ts"
import type { JsonFields } from "./requests/tokenAnswer.ts"

/** Methods of client authentication at the token endpoint (RFC 6749, 2.3.1; `none`: a public client). */
export const CRM_TOKEN_AUTHS = ["client_secret_basic", "client_secret_post", "none"] as const
export type CrmTokenAuth = (typeof CRM_TOKEN_AUTHS)[number]

/** Input for looking up an account. */
export interface AccountLookupInput {
  /** The token response. */
  readonly answer: JsonFields
  readonly accessToken: string
  readonly tokenUrl: string
  readonly clientId: string
  readonly clientSecret: string
}

/** Identifies the account of the tokens: from the token response, or by one more request, which may fail. */
export interface CrmAccountLookup {
  readonly inAnswer: (answer: JsonFields) => CrmAccount | undefined
  readonly request: (input: AccountLookupInput) => (OutboundRequest & { readonly url: string }) | undefined
  readonly inLookup: (looked: JsonFields) => CrmAccount | undefined
}

/** Facts of a provider that are the same for every registration. */
export interface CrmEndpoints {
  /** The provider's name for people. */
  readonly name: string
  /** Address of the authorization page for browsers; its own query is kept. */
  readonly authorizeUrl: string
  readonly tokenUrl: string
  /** Revocation endpoint (RFC 7009); without it, disconnecting only deletes the tokens here. */
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
  /** For the request that redeems a code or a token. */
  readonly callMs: number
  /** For the account look-up that follows it. */
  readonly lookupMs: number
}

export const defaultCrmLimits: CrmLimits = { callMs: 10_000, lookupMs: 5_000 }

export interface OAuthCrmOptions extends CrmEndpoints {
  /** `provider_one` uses PKCE, `provider_two` does not. */
  readonly id: CrmProviderId
  readonly clientId: string
  /** Required except for `none`. */
  readonly clientSecret: Redacted.Redacted<string> | undefined
  readonly limits?: Partial<CrmLimits> | undefined
}
