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
 * The version of the events below. It increases if a field changes its meaning or is removed; new fields do not change
 * it.
 */
export const EVENT_VERSION = 1

/** The common fields of all events. */
interface EventOf<Type extends EventType, Data> {
  /** Names the event: the same at every delivery, to every destination. Consumers that did its work once pass it over. */
  readonly id: string
  readonly type: Type
  readonly version: typeof EVENT_VERSION
  /** When it happened: ISO 8601, UTC. */
  readonly createdAt: string
  readonly data: Data
}

/** Tokens of a reply in four counters; no token is in two of them. */
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
    /** The use of the credits: `chat`, `bot:<id>` or `key:<id>`. */
    readonly source: string
    /** The id of the reply's message. */
    readonly replyId: string
    /** The conversation of the reply; undefined for replies from before conversations were stored with holds. */
    readonly chatId?: string
    /** The public id of the model that answered. */
    readonly model: string
    /** `expired`: its process died, or gave no sign of life for longer than a hold lives. */
    readonly finish: "completed" | "length" | "stopped" | "failed" | "expired"
    readonly tokens: EventTokens
    /** Some of the tokens were counted here, since the vendor did not report them. */
    readonly estimated: boolean
    /** The charged credits, whole. */
    readonly credits: number
  }
>

/** The reader of a reply rated it, or took the rating back. The newest event about a reply counts. */
export type ReplyRated = EventOf<
  "reply.rated",
  {
    /** The owner of the chat, or of the bot whose visitor rated. */
    readonly account: string
    /** `chat` or `bot:<id>`. */
    readonly source: string
    /** The id of the reply's message. */
    readonly replyId: string
    readonly chatId: string
    /** The public id of the model that answered. */
    readonly model: string
    /** `none`: the rating was taken back. */
    readonly rating: "good" | "bad" | "none"
    /** The reader's words, at most 2,000 characters; absent without any. */
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
    /** `allowance + topup - debt` after the charge; credits that are held count. */
    readonly balance: number
    /** The business key of the charge: `reply:<message>`, or `work:` and the key of metered work. */
    readonly key: string
    /** `chat`, `bot:<id>`, `meter:<name>` or `key:<id>`. */
    readonly source: string
    /** The public id of the model that answered; absent for metered work. */
    readonly model?: string
  }
>

/** Credits were bought: those of a plan's periods are none. */
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
    /** The payment's id at the provider; undefined if nothing was to pay. */
    readonly payment?: string
  }
>

/**
 * Credits were taken back because their payment was refunded or disputed, or returned, for example after a won
 * dispute.
 */
export type CreditsRefunded = EventOf<
  "credits.refunded",
  {
    readonly account: string
    /** The credits that were taken back, whole; below zero for returned ones. */
    readonly credits: number
    /** `allowance + topup - debt` afterwards; below zero if spent credits are owed. */
    readonly balance: number
    /** The business key: begins with `refund:`. */
    readonly key: string
    /** The payment's id at the provider; absent for the credits of a plan. */
    readonly payment?: string
  }
>

/** An account is on another plan: bought, changed, ended, or set by an operator. */
export type PlanChanged = EventOf<
  "plan.changed",
  {
    readonly account: string
    readonly tier: string
    readonly previousTier: string
  }
>

/**
 * A balance fell below the operator's threshold; reported once, and again only after the balance was at or above it.
 */
export type BalanceLow = EventOf<
  "balance.low",
  {
    readonly account: string
    /** `allowance + topup - debt`, below the threshold. */
    readonly balance: number
    /** In credits, for the account's tier. */
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
    /** The reason, for programs; undefined if it is unknown. */
    readonly reason?: string
  }
>

/** A visitor of a bot asks for a person. */
export type ConversationWaiting = EventOf<
  "conversation.waiting",
  {
    /** The owner of the bot. */
    readonly account: string
    readonly botId: string
    readonly conversationId: string
    /** The address of the page on which the visitor asked, as the visitor's browser named it; absent if it did not. */
    readonly page?: string
  }
>

/**
 * The security events. `signed_in`: a process of the server sees a session of the person from this address for the
 * first time. `refused`: a request without the right to do what it asked.
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
 * A fact for the security of the service: who did what, from where, and with which outcome. It contains no token, no
 * secret and nothing of a body. The server's log has one line with the same fields.
 */
export type SecurityEvent = EventOf<
  "security",
  {
    readonly event: SecurityEventName
    /** The person who acted, or who was acted on by an operator; absent if no person is proven. */
    readonly userId?: string
    /** The client's address, as far as trusted proxies report it; absent outside requests. */
    readonly address?: string
    /** The first 200 characters of the client's `User-Agent`. */
    readonly userAgent?: string
    /** The method and the pattern of the path; absent outside requests. */
    readonly route?: string
    /** `ok`, or the code of the refusal. */
    readonly outcome: string
    /** A finer distinction of a refusal, from a closed list. */
    readonly problem?: string
    readonly requestId?: string
    /** Refusals that this event counts together; absent for a single one. */
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
 * Types of events that are delivered although the person was erased meanwhile, under the pseudonym of the ledger's rows: the
 * books of another service would lack them.
 */
export const TYPES_OF_RECORD: ReadonlyArray<EventType> = ["credits.charged", "credits.purchased", "credits.refunded"]

/** An event that has no id yet; `at` is in Unix milliseconds. */
export type EventDraft = {
  readonly [Type in EventType]: {
    readonly type: Type
    readonly at: number
    readonly data: Extract<ParleyEvent, { readonly type: Type }>["data"]
  }
}[EventType]

/** Builds an event for its destinations from its stored form. `at` is in Unix milliseconds. */
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
