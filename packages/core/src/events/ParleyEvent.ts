/** What is told: by the hooks of `createParley` and by webhooks. */
export const EVENT_TYPES = [
  "reply.finished",
  "credits.charged",
  "credits.purchased",
  "credits.refunded",
  "plan.changed",
  "balance.low",
  "document.ready",
  "document.failed"
] as const
export type EventType = (typeof EVENT_TYPES)[number]

/** The form of the events below. It grows where a field changes its meaning or goes; new fields leave it as it is. */
export const EVENT_VERSION = 1

/** What every event has. */
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

/** A reply has ended and its hold was settled. What was asked and said is in no event. */
export type ReplyFinished = EventOf<
  "reply.finished",
  {
    /** Who pays. */
    readonly account: string
    /** What spent the credits: `chat`, `bot:<id>` or `key:<id>`. */
    readonly source: string
    /** The id of the reply's message. */
    readonly replyId: string
    /** The conversation it is in; absent where the reply began before conversations were noted with their holds. */
    readonly chatId?: string
    /** The public id of the model that answered. */
    readonly model: string
    /** `expired`: its process died, or gave no sign of life for longer than a hold lives. */
    readonly finish: "completed" | "length" | "stopped" | "failed" | "expired"
    readonly tokens: EventTokens
    /** Some of the tokens were counted here, since the vendor did not report them. */
    readonly estimated: boolean
    /** What was charged, in whole credits. */
    readonly credits: number
  }
>

/** Credits were charged: for a reply, for metered work, or for what a process that died had delivered. */
export type CreditsCharged = EventOf<
  "credits.charged",
  {
    readonly account: string
    /** Whole credits, more than 0. */
    readonly credits: number
    /** `allowance + topup - debt` after the charge; credits that are held count. */
    readonly balance: number
    /** The business key of the charge: `reply:<message>`, or `work:` and the key that metered work was given. */
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
    /** The payment's id at the provider; absent where nothing was to pay. */
    readonly payment?: string
  }
>

/** Credits were taken back, since what was paid for them was refunded or disputed; or given back, as after a dispute that was won. */
export type CreditsRefunded = EventOf<
  "credits.refunded",
  {
    readonly account: string
    /** Whole credits that were taken back; below zero where they were given back. */
    readonly credits: number
    /** `allowance + topup - debt` afterwards; below zero where what was spent is owed. */
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

/** A balance went below the operator's threshold; told once, and again only after the balance was at or above it. */
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
    /** Absent where the type has no pages. */
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
    /** Why, for programs; absent where nothing is known. */
    readonly reason?: string
  }
>

/** Something that happened, told apart by `type`. */
export type ParleyEvent =
  | ReplyFinished
  | CreditsCharged
  | CreditsPurchased
  | CreditsRefunded
  | PlanChanged
  | BalanceLow
  | DocumentReady
  | DocumentFailed

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

/** An event as its destinations get it, from what is stored of it. `at` is in Unix milliseconds. */
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
