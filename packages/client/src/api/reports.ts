// Written by `npm run docs:tables` from the table of routes: change that.

/** A difference between an account and its rows. */
export interface AccountDifference {
  /** The person's id; `*` if it concerns all accounts together. */
  readonly userId: string
  /** The invariant that does not hold. */
  readonly invariant: string
  /** The value according to the rows. */
  readonly expected: number
  /** The value of the account. */
  readonly found: number
}

/** The charges of a day and a model. */
export interface DailyCharges {
  /** The UTC day. */
  readonly day: string
  /** The model; empty for metered work. */
  readonly model: string
  /** The number of charges. */
  readonly replies: number
  /** The charged credits. */
  readonly credits: number
}

/** The payments of a day and a currency. */
export interface DailyRevenue {
  /** The UTC day. */
  readonly day: string
  /** The currency in lower case. */
  readonly currency: string
  /** The number of payments. */
  readonly payments: number
  /** In the smallest unit of the currency, without refunds. */
  readonly amount: number
}

/** The deliveries to a hook or webhook. */
export interface EventDestination {
  /** The destination's id. */
  readonly id: string
  /** The number of events that wait. */
  readonly pending: number
  /** The number of events whose delivery was given up. */
  readonly dead: number
  /** Seconds since the oldest event that waits; null if none waits. */
  readonly oldestSeconds: number | null
  /** When the destination was disabled; null if it is not. */
  readonly disabledAt: string | null
}

/** The parts that index documents. */
export interface IndexVersions {
  /** The embedder; null without embeddings. */
  readonly embedder: string | null
  /** The parser and its version; null if it is unknown. */
  readonly parser: string | null
  /** The version of the indexing; null if it is unknown. */
  readonly version: number | null
}

/** Jobs by state; 100 means 100 or more. */
export interface JobCounts {
  /** Jobs that wait. */
  readonly waiting: number
  /** Jobs that run. */
  readonly running: number
  /** Jobs that have failed. */
  readonly failed: number
}

/** The charges and the revenue of some days. */
export interface MoneyReport {
  /** The first UTC day. */
  readonly from: string
  /** The last UTC day, which is today: `2026-11-30`. */
  readonly to: string
  /** The settled charges of all people, by day and model. */
  readonly charges: ReadonlyArray<DailyCharges>
  /** The applied payments of people who are not erased, by day and currency. */
  readonly revenue: ReadonlyArray<DailyRevenue>
  /** The last daily verification of all accounts; null if none has ended. */
  readonly verification: VerificationSummary | null
}

/** An event of the payment provider. */
export interface PaymentEvent {
  /** The event's id at the payment provider. */
  readonly id: string
  /** The provider's own name for it. */
  readonly kind: string
  /** The state of the event. */
  readonly state: "applied" | "ignored" | "owed" | "waiting" | "refused" | "unreadable"
  /** The reason for the state, without names and amounts. */
  readonly note: string
  /** The person of the event; null if it matches none. */
  readonly userId: string | null
  /** When the provider created it. */
  readonly createdAt: string
  /** When this server received it. */
  readonly receivedAt: string
}

/** Payment events by state; 100 means 100 or more. */
export interface PaymentEventCounts {
  /** Events that match no person yet. */
  readonly waiting: number
  /** Events that contradict what is stored. */
  readonly refused: number
  /** Events that the server could not read. */
  readonly unreadable: number
  /** Payments that have to be refunded. */
  readonly owed: number
}

/** A page of events of the payment provider. */
export interface PaymentEventList {
  /** The events, the one received last first. */
  readonly events: ReadonlyArray<PaymentEvent>
  /** `before` of the next page; null on the last one. */
  readonly next: string | null
}

/** The estimated cost of re-indexing. */
export interface ReindexingEstimate {
  /** The number of ready documents. */
  readonly documents: number
  /** The number of their passages. */
  readonly passages: number
  /** Those of them that were indexed by another embedder, parser or version of the indexing. */
  readonly outdated: number
  /** The number of passages of outdated documents. */
  readonly outdatedPassages: number
  /** The number of outdated documents that could not be indexed anew. */
  readonly failed: number
  /** About as many tokens would be sent to the embedder; null if a sample does not show it. */
  readonly tokens: number | null
  /** The embedder; null if there are no embeddings. */
  readonly embedder: string | null
  /** About the cost in US dollars; null if the embedder's price is not configured. */
  readonly usd: number | null
}

/** A person's document that could not be indexed anew. */
export interface ReindexingFailureOfPerson {
  /** The person's id. */
  readonly userId: string
  /** The document's id. */
  readonly documentId: string
  /** The reason. */
  readonly reasonCode: "password" | "scan" | "no_text" | "damaged" | "incomplete" | "encoding" | "too_long" | "too_costly" | "unreadable" | "waiting" | "our_side"
}

/** Outdated documents that were indexed alike. */
export interface ReindexingGroup {
  /** The type of the documents. */
  readonly type: "pdf" | "docx" | "xlsx" | "pptx" | "odt" | "ods" | "odp" | "epub" | "rtf" | "doc" | "xls" | "ppt" | "png" | "jpg" | "webp" | "heic" | "eml" | "html" | "md" | "txt" | "csv"
  /** The number of documents. */
  readonly documents: number
  /** True if they could not be indexed anew. */
  readonly failed: boolean
  readonly indexedBy: IndexVersions
  readonly today: IndexVersions
}

/** Jobs, one a person, by state; 100 means 100 or more. */
export interface ReindexingJobs {
  /** Jobs that wait. */
  readonly waiting: number
  /** Jobs that run. */
  readonly running: number
  /** Jobs that have failed. */
  readonly failed: number
}

/** The start of re-indexing by an operator. */
export interface ReindexingStart {
  /** A person's id, as the identity provider names them. */
  readonly userId?: string
  /** The reason, for the audit log: one line of at most 500 characters. */
  readonly reason: string
}

/** The state of the service. */
export interface ServiceHealth {
  /** The background work of all processes; `unused` if no worker has ever run. */
  readonly work: ReadonlyArray<WorkCheck>
  readonly workers: WorkersHealth
  readonly jobs: JobCounts
  readonly paymentEvents: PaymentEventCounts
  /** The hooks and webhooks. */
  readonly destinations: ReadonlyArray<EventDestination>
  /** Replies that models failed in this process since it began. */
  readonly vendors: ReadonlyArray<VendorFailures>
  /** Refusals of this process since it began, by code and problem. */
  readonly refusals: Readonly<Record<string, number>>
}

/** The indexing of all people's documents. */
export interface ServiceReindexing {
  /** The number of ready documents. */
  readonly documents: number
  /** The number of their passages. */
  readonly passages: number
  /** Those of them that were indexed by another embedder, parser or version of the indexing. */
  readonly outdated: number
  /** The number of passages of outdated documents. */
  readonly outdatedPassages: number
  /** The number of outdated documents that could not be indexed anew. */
  readonly failed: number
  /** Outdated documents by how they were indexed, and how they would be today. */
  readonly groups: ReadonlyArray<ReindexingGroup>
  readonly jobs: ReindexingJobs
  /** People whose re-indexing ended early in the last month; another POST goes on with it. */
  readonly stopped: ReadonlyArray<string>
  /** The first hundred documents that failed. */
  readonly failures: ReadonlyArray<ReindexingFailureOfPerson>
}

/** Replies that a model failed. */
export interface VendorFailures {
  /** The vendor. */
  readonly vendor: string
  /** The model's id. */
  readonly model: string
  /** The kind of the failure. */
  readonly reason: string
  /** The number of failures. */
  readonly failures: number
}

/** The comparison of a page of accounts with their rows. */
export interface Verification {
  /** Transactions before this time are trusted. */
  readonly since: string
  /** The number of compared accounts. */
  readonly accounts: number
  /** The differences; empty if there are none. */
  readonly differences: ReadonlyArray<AccountDifference>
  /** `after` of the next page; null after the last one. */
  readonly next: string | null
}

/** The result of a verification of all accounts. */
export interface VerificationSummary {
  /** When it ended. */
  readonly endedAt: string
  /** The number of differences. */
  readonly differences: number
}

/** A check of the background work. */
export interface WorkCheck {
  /** The name of the check. */
  readonly name: string
  /** The result of the check. */
  readonly status: "ok" | "failed" | "unused"
  /** A sentence for operators. */
  readonly detail: string
}

/** The workers of all processes, and the jobs that are due. */
export interface WorkersHealth {
  /** The number of living workers. */
  readonly alive: number
  /** Seconds since the last sign of any worker; null if there never was one. */
  readonly lastSeenSeconds: number | null
  /** The number of jobs that are due. */
  readonly due: number
  /** Seconds for which the oldest due job has waited; null if none is due. */
  readonly oldestDueSeconds: number | null
}

/** The operations of this area, by their ids. */
export interface ReportsOperations {
  /** Returns the state of workers, open jobs, payment events, deliveries of hooks and webhooks, failures of models, and refusals. Callers are signed-in operators with the role `support` or `owner`. */
  readonly getServiceHealth: {
    readonly response: ServiceHealth
  }
  /** Tells how many documents of all people are on an older index, and how far their re-indexing is. Callers are signed-in operators with the role `support` or `owner`. */
  readonly getServiceReindexing: {
    readonly response: ServiceReindexing
  }
  /** Indexes the outdated documents of all people anew, or goes on with it; they stay searchable. Callers are signed-in operators with the role `owner`; writes require a fresh sign-in. */
  readonly reindexService: {
    readonly body: ReindexingStart
    readonly response: ServiceReindexing
  }
  /** Estimates by a sample what indexing all outdated documents anew costs. Callers are signed-in operators with the role `support` or `owner`. */
  readonly estimateReindexing: {
    readonly response: ReindexingEstimate
  }
  /** Returns the charges by day and model, and the applied payments by day and currency. Callers are signed-in operators with the role `support` or `owner`. */
  readonly getMoneyReport: {
    readonly query?: {
      /** UTC days, today included. */
      readonly days?: number | undefined
    }
    readonly response: MoneyReport
  }
  /** Lists events of the payment provider with their states, the one received last first. Callers are signed-in operators with the role `support` or `owner`. */
  readonly listPayments: {
    readonly query?: {
      /** Only events in this state. */
      readonly state?: "applied" | "ignored" | "owed" | "waiting" | "refused" | "unreadable" | undefined
      /** Only events of this person. */
      readonly user?: string | undefined
      /** `next` of the previous page. */
      readonly before?: string | undefined
      /** The most events. */
      readonly limit?: number | undefined
    }
    readonly response: PaymentEventList
  }
  /** Recomputes a page of accounts from their rows and returns the differences, as `parley credits verify` does. Callers are signed-in operators with the role `support` or `owner`. */
  readonly getVerification: {
    readonly query?: {
      /** Trust transactions before this time (ISO 8601); a day ago unless given. */
      readonly since?: string | undefined
      /** `next` of the previous page. */
      readonly after?: string | undefined
      /** The most accounts. */
      readonly limit?: number | undefined
    }
    readonly response: Verification
  }
}
