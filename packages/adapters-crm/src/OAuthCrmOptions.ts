import type { CrmAccount } from "@parley/core/adapter"
import type { CrmProviderId } from "@parley/core"
import type { Redacted } from "effect"
import type { RefusalWords } from "./requests/refusal.ts"
import type { OutboundRequest } from "./requests/sendOnce.ts"
import type { JsonFields } from "./requests/tokenAnswer.ts"

/** How a server proves at the token endpoint who it is (RFC 6749, 2.3.1; `none`: a public client). */
export const CRM_TOKEN_AUTHS = ["client_secret_basic", "client_secret_post", "none"] as const
export type CrmTokenAuth = (typeof CRM_TOKEN_AUTHS)[number]

/** What a look-up of an account can use. */
export interface AccountLookupInput {
  /** The token response. */
  readonly answer: JsonFields
  readonly accessToken: string
  readonly tokenUrl: string
  readonly clientId: string
  readonly clientSecret: string
}

/** How it is known whose account tokens open: from the token response, and from one more request that may fail. */
export interface CrmAccountLookup {
  readonly inAnswer: (answer: JsonFields) => CrmAccount | undefined
  readonly request: (input: AccountLookupInput) => (OutboundRequest & { readonly url: string }) | undefined
  readonly inLookup: (looked: JsonFields) => CrmAccount | undefined
}

/** What is known of a provider before anybody registers with it. */
export interface CrmEndpoints {
  /** What people know the provider by. */
  readonly name: string
  /** Where browsers are sent; a query that it has stays. */
  readonly authorizeUrl: string
  readonly tokenUrl: string
  /** RFC 7009; without it, tokens are only forgotten here. */
  readonly revokeUrl?: string | undefined
  /**
   * What the provider calls itself in its callbacks (`iss`, RFC 9207) and ID tokens. With it, every callback must say it;
   * without it, none may say any.
   */
  readonly issuer?: string | undefined
  readonly tokenAuth: CrmTokenAuth
  readonly scopes: ReadonlyArray<string>
  readonly accounts?: CrmAccountLookup | undefined
  /** Codes with which the provider refuses in the place of those of RFC 6749, in lower case. */
  readonly refusals?: RefusalWords | undefined
}

/** How long a provider is waited for, in milliseconds. */
export interface CrmLimits {
  /** For the request that spends something. */
  readonly callMs: number
  /** For the look-up of the account after it. */
  readonly lookupMs: number
}

export const defaultCrmLimits: CrmLimits = { callMs: 10_000, lookupMs: 5_000 }

export interface OAuthCrmOptions extends CrmEndpoints {
  /** `provider_one` is asked with PKCE, `provider_two` is not. */
  readonly id: CrmProviderId
  readonly clientId: string
  /** Needed but for `none`. */
  readonly clientSecret: Redacted.Redacted<string> | undefined
  readonly limits?: Partial<CrmLimits> | undefined
}
