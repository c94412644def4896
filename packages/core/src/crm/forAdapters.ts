/** What authors of CRM providers, and of what keeps connections to them, need of this domain. */
export {
  type AuthorizationInput,
  CRM_PROVIDERS,
  type CrmAccount,
  type CrmProvider,
  type CrmProviderId,
  CrmProviders,
  type CrmTokens,
  type ExchangeInput,
  type RevokeInput
} from "./CrmProvider.ts"
export {
  CRM_OPERATIONS,
  CRM_REFUSALS,
  CrmAnswerLost,
  type CrmFailed,
  type CrmRefusal,
  CrmRefused,
  CrmUnavailable
} from "./errors.ts"
export {
  CRM_PROBLEMS,
  CRM_STATES,
  type CrmConnectionName,
  type CrmProblem,
  type CrmStanding,
  type CrmState,
  type NewCrmConnection,
  type SealedTokens,
  type StoredCrmConnection
} from "./CrmConnection.ts"
export {
  type ClaimRefreshInput,
  CrmConnectionStore,
  type CrmConnectionsOf,
  type EndRefreshInput,
  type ListSealedInput,
  type RefreshClaim,
  type SealedCount
} from "./CrmConnectionStore.ts"
export { OAuthStateStore, type SpentState } from "./OAuthStateStore.ts"
export { CrmRelease, type Revocation } from "./CrmRelease.ts"
export { crmRevoking } from "./revokeAccess.ts"
export { noCrmLayer } from "./noCrmLayer.ts"
