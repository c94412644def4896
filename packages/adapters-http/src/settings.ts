/** What settings are checked with before a server is made, without loading one. */
export { type ApiKey, problemsOfApiKeys } from "./environment/ApiKeys.ts"
export { isOrigin } from "./environment/AllowedOrigins.ts"
