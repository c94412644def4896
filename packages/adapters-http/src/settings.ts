/** Checks of settings before a server is created, without loading one. */
export { type ApiKey, problemsOfApiKeys } from "./environment/ApiKeys.ts"
export { isIssuerAddress, isProviderAddress } from "./sessions/providerAddress.ts"
export { SESSION_PRESETS, type SessionPreset } from "./sessions/SessionPreset.ts"
export { isTrustProxy } from "./node/trustedPeer.ts"
export { isOrigin } from "./environment/AllowedOrigins.ts"
