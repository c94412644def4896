/** The part of `@parley/core/adapter` for connections to CRMs. */

export {
  CRM_PROBLEMS,
  CRM_STATES,
  type CrmProblem,
  type CrmStanding,
  type CrmState,
  type NewCrmConnection,
  type SealedTokens,
  type StoredCrmConnection
} from "./CrmConnectionStore.ts"
export {
  type ClaimRefreshInput,
  CrmConnectionStore,
  type CrmConnectionsOf,
  type EndRefreshInput,
  type ListSealedInput,
  type RefreshClaim,
  SealedConnections,
  type SealedCount
} from "./CrmConnectionStore.ts"
export {
  type AuthorizationInput,
  CRM_PROVIDERS,
  type CrmAccount,
  type CrmProvider,
  CrmProviders,
  type CrmTokens,
  type ExchangeInput,
  type RevokeInput
} from "./CrmProvider.ts"
export { OAuthStateStore, type SpentState } from "./OAuthStateStore.ts"
export {
  CRM_OPERATIONS,
  CRM_REFUSALS,
  CrmAnswerLost,
  type CrmFailed,
  type CrmRefusal,
  CrmRefused,
  CrmUnavailable
} from "./errors.ts"
export { crmRevoking } from "./CrmRelease.ts"
