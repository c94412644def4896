export { isCrmEndpoint } from "./endpoints.ts"
export {
  type AccountLookupInput,
  CRM_TOKEN_AUTHS,
  type CrmAccountLookup,
  type CrmEndpoints,
  type CrmLimits,
  type CrmTokenAuth,
  defaultCrmLimits,
  type OAuthCrmOptions
} from "./OAuthCrmOptions.ts"
export { makeOAuthCrmProvider } from "./OAuthCrmProvider.ts"
export { CRM_PRESETS, type CrmPresetName, crmPresets } from "./presets/crmPresets.ts"
export type { RefusalWords } from "./requests/refusal.ts"
export type { OutboundRequest } from "./requests/sendOnce.ts"
export type { JsonFields } from "./requests/tokenAnswer.ts"
