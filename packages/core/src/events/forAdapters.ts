/** The part of `@parley/core/adapter` for the delivery of events. */

export {
  type AccountDeliveriesInput,
  type AccountDelivery,
  type ClaimInput,
  type ClaimedDelivery,
  type ConcludeDeliveryInput,
  DELIVERY_STATES,
  type DeliveryOutcome,
  type DeliveryRecord,
  DeliveryRecords,
  FEED,
  feedCursor,
  feedPlace,
  type FeedEvents,
  type FeedInput,
  type DeliveryState,
  type Destination,
  type DestinationRecord,
  FORGET_DESTINATION_MS,
  FORGET_TYPE_MS,
  COUNTED_DELIVERIES,
  KEEP_DEAD_MS,
  KEEP_DELIVERED_MS,
  type ListDeliveriesInput,
  type LowBelow,
  Outbox,
  type RetryDeliveriesInput,
  SUBSCRIBE_EVERY_MS,
  type SubscribeInput
} from "./Outbox.ts"
export { ownerOfEvent, type EventDraft, eventOf } from "./ParleyEvent.ts"
export { type WebhookAnswer, type WebhookPoster, type WebhookRequest, WebhookUnanswered } from "./WebhookPoster.ts"
export { isPrivateAddress } from "./webhookAddress.ts"
export { isThisMachine } from "./webhookAddress.ts"
