/** What an author of adapters uses of events. */

export * from "./Outbox.ts"
export { EVENT_TYPES, eventOf, type EventType, type ParleyEvent } from "./ParleyEvent.ts"
export { isPrivateAddress } from "./privateAddress.ts"
export { type WebhookAnswer, type WebhookPoster, type WebhookRequest, WebhookUnanswered } from "./WebhookPoster.ts"
export { isThisMachine } from "./webhookUrl.ts"
