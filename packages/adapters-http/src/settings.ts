/** Checks for settings that run before a server is created, without loading the server. */
export { sessionCookieName } from "./sessions/cookies.ts"
export { type PresetDefaults, presetDefaults } from "./sessions/presets.ts"
export { isIssuerAddress, isProviderAddress } from "./sessions/sessionSettings.ts"
export { SESSION_PRESETS, type SessionPreset } from "./sessions/sessionSettings.ts"
export { isTrustProxy } from "./node/parleyListener.ts"
export { isOrigin } from "./access/allowedOrigins.ts"
