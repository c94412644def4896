import { Effect } from "effect"
import { DeliveryFailed, type EventSink } from "./EventSink.ts"
import type {
  BalanceLow,
  ConversationWaiting,
  CreditsCharged,
  CreditsPurchased,
  CreditsRefunded,
  DocumentFailed,
  DocumentReady,
  EventType,
  ParleyEvent,
  PlanChanged,
  ReplyFinished,
  ReplyRated,
  SecurityEvent
} from "./ParleyEvent.ts"

/**
 * Functions that Parley calls after events. Each hook is called at least once for every event that was committed after
 * the hook was first configured, by one of the processes that have the hook, in no particular order: use the event's
 * `id` to skip events that you have handled. A hook that throws, rejects or takes longer than 30 seconds is called
 * again after a pause, for about three days; hooks do not delay each other.
 */
export interface ParleyHooks {
  /** A reply has ended and was charged. */
  readonly onReply?: ((event: ReplyFinished) => void | Promise<void>) | undefined
  /** A reader rated a reply. */
  readonly onRating?: ((event: ReplyRated) => void | Promise<void>) | undefined
  /** Credits were charged, for a reply or for other work. */
  readonly onCharge?: ((event: CreditsCharged) => void | Promise<void>) | undefined
  /** Credits were bought. */
  readonly onPurchase?: ((event: CreditsPurchased) => void | Promise<void>) | undefined
  /** Credits were taken back with a refund, or returned. */
  readonly onRefund?: ((event: CreditsRefunded) => void | Promise<void>) | undefined
  /** The tier of an account has changed. */
  readonly onPlanChange?: ((event: PlanChanged) => void | Promise<void>) | undefined
  /** A balance fell below the threshold. */
  readonly onLowBalance?: ((event: BalanceLow) => void | Promise<void>) | undefined
  /** A document can be searched, or could not be read. */
  readonly onDocument?: ((event: DocumentReady | DocumentFailed) => void | Promise<void>) | undefined
  /** A visitor of a bot has asked for a person. */
  readonly onConversation?: ((event: ConversationWaiting) => void | Promise<void>) | undefined
  /**
   * A fact that is relevant for security. Refused requests (`refused`) are not stored, so that a flood of them cannot
   * fill the storage: the process that refused them reports the first ones at once and without retries, counts the
   * others by kind and address, and reports the counts after a minute.
   */
  readonly onSecurity?: ((event: SecurityEvent) => void | Promise<void>) | undefined
}

/** The event types of each hook. */
const HOOK_TYPES = {
  onReply: ["reply.finished"],
  onRating: ["reply.rated"],
  onCharge: ["credits.charged"],
  onPurchase: ["credits.purchased"],
  onRefund: ["credits.refunded"],
  onPlanChange: ["plan.changed"],
  onLowBalance: ["balance.low"],
  onDocument: ["document.ready", "document.failed"],
  onConversation: ["conversation.waiting"],
  onSecurity: ["security"]
} as const satisfies Record<keyof ParleyHooks, ReadonlyArray<EventType>>

/** The time limit of a hook. A hook that takes longer is not stopped, but its result is ignored. */
const HOOK_TIME_LIMIT_MS = 30_000

/** Returns the configured hooks as destinations. */
export const hookSinks = (hooks: ParleyHooks): ReadonlyArray<EventSink> =>
  Object.entries(HOOK_TYPES).flatMap(([name, types]) => {
    const hook = hooks[name as keyof ParleyHooks] as ((event: ParleyEvent) => void | Promise<void>) | undefined
    if (hook === undefined) return []
    const deliver = (event: ParleyEvent) =>
      Effect.tryPromise({ try: async () => hook(event), catch: () => new DeliveryFailed({ reason: "threw" }) })
    return [{ id: `hook:${name}`, types, timeLimitMs: HOOK_TIME_LIMIT_MS, isOfThisProcess: true, deliver }]
  })
