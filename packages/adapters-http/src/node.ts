/** A server on Node's own HTTP, without loading Express. All of it is in the package's other entry, too. */
export { isLocalRequest } from "./access/isLocalRequest.ts"
export { RequestTracker } from "./environment/RequestTracker.ts"
export { answerNotFound } from "./node/answerProblem.ts"
export { createHttpServer } from "./node/createHttpServer.ts"
export { parleyListener } from "./node/parleyListener.ts"
export { makeDevelopmentSessions } from "./sessions/developmentSessions.ts"
export { HmacSessionVerifier } from "./sessions/HmacSessionVerifier.ts"
export { NodeWebhookPoster, type WebhookPosterOptions } from "./webhooks/NodeWebhookPoster.ts"
