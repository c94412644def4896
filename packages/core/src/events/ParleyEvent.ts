import { NO_PERSON } from "../identity/UserId.ts"

/** The events that hooks and webhooks receive. */
export const EVENT_TYPES = [
  "reply.finished",
  "reply.rated",
  "credits.charged",
  "credits.purchased",
  "credits.refunded",
  "plan.changed",
  "balance.low",
  "document.ready",
  "document.failed",
  "conversation.waiting",
  "security"
] as const
export type EventType = (typeof EVENT_TYPES)[number]

/**
 * The version of the events below. It increases if a field is removed or changes its meaning; new fields do not change
 * it.
 */
export const EVENT_VERSION = 1

/** The common fields of all events. */
interface EventOf<Type extends EventType, Data> {
  /**
   * The id of the event: the same at every delivery and for every destination. Consumers skip events with an id that
   * they have handled.
   */
  readonly id: string
  readonly type: Type
  readonly version: typeof EVENT_VERSION
  /** The time of the event: ISO 8601, UTC. */
  readonly createdAt: string
  readonly data: Data
}

/** The tokens of a reply in four counters; each token is in only one of them. */
export interface EventTokens {
  readonly freshInput: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly output: number
}

/** A reply has ended and its hold was settled. No event contains the text of a question or a reply. */
export type ReplyFinished = EventOf<
  "reply.finished",
  {
    /** The account that pays. */
    readonly account: string
    /** The spender of the credits: `chat`, `bot:<id>` or `key:<id>`. */
    readonly source: string
    /** The id of the reply's message. */
    readonly replyId: string
    /** The chat of the reply; undefined for replies from before chats were stored with holds. */
    readonly chatId?: string
    /** The public id of the model that answered. */
    readonly model: string
    /** `expired`: its process died, or did not renew the hold in time. */
    readonly finish: "completed" | "length" | "stopped" | "failed" | "expired"
    readonly tokens: EventTokens
    /** True if Parley counted some of the tokens, because the vendor did not report them. */
    readonly estimated: boolean
    /** The charged credits: a whole number. */
    readonly credits: number
  }
>

/** The reader of a reply rated it, or removed the rating. The newest event about a reply applies. */
export type ReplyRated = EventOf<
  "reply.rated",
  {
    /** The owner of the chat, or of the bot whose visitor rated the reply. */
    readonly account: string
    /** `chat` or `bot:<id>`. */
    readonly source: string
    /** The id of the reply's message. */
    readonly replyId: string
    readonly chatId: string
    /** The public id of the model that answered. */
    readonly model: string
    /** `none`: the rating was removed. */
    readonly rating: "good" | "bad" | "none"
    /** The reader's comment, at most 2,000 characters; absent if there is none. */
    readonly comment?: string
  }
>

/** Credits were charged: for a reply, for metered work, or for the delivered part of a reply whose process died. */
export type CreditsCharged = EventOf<
  "credits.charged",
  {
    readonly account: string
    /** Whole credits, more than 0. */
    readonly credits: number
    /** `allowance + topup - debt` after the charge; includes held credits. */
    readonly balance: number
    /** The business key of the charge: `reply:<message>`, or `work:` and the key of metered work. */
    readonly key: string
    /** The spender of the credits: `chat`, `bot:<id>`, `meter:<name>` or `key:<id>`. */
    readonly source: string
    /** The public id of the model that answered; absent for metered work. */
    readonly model?: string
  }
>

/** Credits were bought. The credits of a plan's periods are not reported here. */
export type CreditsPurchased = EventOf<
  "credits.purchased",
  {
    readonly account: string
    /** Whole credits, more than 0. */
    readonly credits: number
    /** `allowance + topup - debt` afterwards. */
    readonly balance: number
    /** The business key of the purchase: `topup:` and the checkout session. */
    readonly key: string
    /** The payment's id at the provider; undefined if there was nothing to pay. */
    readonly payment?: string
  }
>

/**
 * Credits were taken back because their payment was refunded or disputed; or they were returned, for example after a
 * dispute was won.
 */
export type CreditsRefunded = EventOf<
  "credits.refunded",
  {
    readonly account: string
    /** The credits that were taken back: a whole number, negative for returned credits. */
    readonly credits: number
    /** `allowance + topup - debt` afterwards; negative if the person owes spent credits. */
    readonly balance: number
    /** The business key; it begins with `refund:`. */
    readonly key: string
    /** The payment's id at the provider; absent for the credits of a plan. */
    readonly payment?: string
  }
>

/** The tier of an account has changed: it was bought, changed, ended, or set by an operator. */
export type PlanChanged = EventOf<
  "plan.changed",
  {
    readonly account: string
    readonly tier: string
    readonly previousTier: string
  }
>

/**
 * A balance fell below the operator's threshold. Reported once, and again only after the balance was at or above the
 * threshold.
 */
export type BalanceLow = EventOf<
  "balance.low",
  {
    readonly account: string
    /** `allowance + topup - debt`; below the threshold. */
    readonly balance: number
    /** The threshold in credits, for the account's tier. */
    readonly threshold: number
    readonly tier: string
  }
>

/** A document can be searched. */
export type DocumentReady = EventOf<
  "document.ready",
  {
    readonly account: string
    readonly documentId: string
    readonly filename: string
    /** Undefined if the type has no pages. */
    readonly pages?: number
    readonly passages?: number
  }
>

/** A document could not be read. */
export type DocumentFailed = EventOf<
  "document.failed",
  {
    readonly account: string
    readonly documentId: string
    readonly filename: string
    /** The code of the reason; undefined if it is unknown. */
    readonly reason?: string
  }
>

/** A visitor of a bot has asked for a person. */
export type ConversationWaiting = EventOf<
  "conversation.waiting",
  {
    /** The owner of the bot. */
    readonly account: string
    readonly botId: string
    readonly conversationId: string
    /** The address of the page on which the visitor asked, as the visitor's browser sent it; absent if it sent none. */
    readonly page?: string
  }
>

/**
 * The security events. `signed_in`: a server process sees a session of the person from this address for the first time.
 * `refused`: a request without the required right.
 */
export const SECURITY_EVENTS = [
  "signed_in",
  "signed_out",
  "sessions_ended",
  "blocked",
  "unblocked",
  "secrets_rotated",
  "key_created",
  "key_rotated",
  "key_revoked",
  "crm_connected",
  "crm_disconnected",
  "exported",
  "erased",
  "refused"
] as const
export type SecurityEventName = (typeof SECURITY_EVENTS)[number]

/**
 * A fact that is relevant for the security of the service: the person, the address, the action and its outcome. It
 * contains no token, no secret and no part of a body. The server's log has one line with the same fields.
 */
export type SecurityEvent = EventOf<
  "security",
  {
    readonly event: SecurityEventName
    /** The person who acted, or on whom an operator acted; absent if no person was identified. */
    readonly userId?: string
    /** The client's address, as reported by trusted proxies; absent outside of requests. */
    readonly address?: string
    /** The first 200 characters of the client's `User-Agent`. */
    readonly userAgent?: string
    /** The method and the pattern of the path; absent outside of requests. */
    readonly route?: string
    /** `ok`, or the code of the refusal. */
    readonly outcome: string
    /** A finer distinction of a refusal, from a closed list. */
    readonly problem?: string
    readonly requestId?: string
    /** The number of refusals that this event counts together; absent for a single one. */
    readonly count?: number
  }
>

/** An event, distinguished by `type`. */
export type ParleyEvent =
  | ReplyFinished
  | ReplyRated
  | CreditsCharged
  | CreditsPurchased
  | CreditsRefunded
  | PlanChanged
  | BalanceLow
  | DocumentReady
  | DocumentFailed
  | ConversationWaiting
  | SecurityEvent

/** The person to whom an event belongs, for exports and erasures. */
export const ownerOfEvent = (data: ParleyEvent["data"]): string =>
  "account" in data ? data.account : (data.userId ?? NO_PERSON)

/**
 * Types of events that are delivered even if the person was erased meanwhile, under the pseudonym of the ledger's rows:
 * otherwise the books of other services would be incomplete.
 */
export const TYPES_OF_RECORD: ReadonlyArray<EventType> = ["credits.charged", "credits.purchased", "credits.refunded"]

/** An event without an id; `at` is in Unix milliseconds. */
export type EventDraft = {
  readonly [Type in EventType]: {
    readonly type: Type
    readonly at: number
    readonly data: Extract<ParleyEvent, { readonly type: Type }>["data"]
  }
}[EventType]

/** Returns an event, in the form that destinations receive, from its stored form. `at` is in Unix milliseconds. */
export const eventOf = (stored: {
  readonly id: string
  readonly type: EventType
  readonly at: number
  readonly data: unknown
}): ParleyEvent =>
  ({
    id: stored.id,
    type: stored.type,
    version: EVENT_VERSION,
    createdAt: new Date(stored.at).toISOString(),
    data: stored.data
  }) as ParleyEvent
