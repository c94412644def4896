import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query"
import type { Balance } from "./billing.ts"
import { json, read, segment, send } from "./request.ts"
import type { Transaction } from "./usage.ts"

/** A person's access. */
export interface PersonAccess {
  readonly blockedAt: string | null
  /** Sessions that began earlier are refused. */
  readonly notBefore: string | null
}

export interface ListedPerson extends PersonAccess {
  readonly userId: string
  readonly tier: string | null
  readonly available: number | null
}

export interface Person extends PersonAccess {
  readonly userId: string
  /** Null for a person who never signed in. */
  readonly account: {
    readonly tier: string
    /** Payments do not change the tier. */
    readonly pinned: boolean
    readonly paidTier: string | null
    readonly balance: Balance
  } | null
}

/** An action of an operator. */
export interface AuditEntry {
  readonly number: number
  readonly at: string
  readonly by: string
  readonly action: string
  readonly userId: string | null
  readonly details: string
  readonly reason: string | null
  readonly address: string | null
}

/** The charges and applied payments of the last UTC days. */
export interface Money {
  readonly from: string
  readonly to: string
  readonly charges: ReadonlyArray<{
    readonly day: string
    readonly model: string
    readonly replies: number
    readonly credits: number
  }>
  readonly revenue: ReadonlyArray<{
    readonly day: string
    readonly currency: string
    readonly payments: number
    /** In the smallest unit of the currency. */
    readonly amount: number
  }>
  /** The last daily verification; null if none has ended. */
  readonly verification: { readonly endedAt: string; readonly differences: number } | null
}

export const OPEN_STATES = ["refused", "owed", "waiting", "unreadable"] as const
/** The state of a payment event that wants attention. */
export type OpenState = (typeof OPEN_STATES)[number]

export interface PaymentEvent {
  readonly id: string
  readonly kind: string
  readonly note: string
  readonly userId: string | null
  readonly receivedAt: string
}

/** A page of a comparison of accounts with their rows. */
export interface Verification {
  readonly since: string
  readonly accounts: number
  readonly differences: ReadonlyArray<Difference>
  readonly next: string | null
}

export interface Difference {
  /** `*` if it concerns all accounts. */
  readonly userId: string
  readonly invariant: string
  readonly expected: number
  readonly found: number
}

export interface Health {
  readonly work: ReadonlyArray<{ readonly name: "workers" | "jobs"; readonly status: "ok" | "failed" | "unused" }>
  readonly workers: {
    readonly alive: number
    readonly lastSeenSeconds: number | null
    readonly due: number
    readonly oldestDueSeconds: number | null
  }
  readonly jobs: { readonly waiting: number; readonly running: number; readonly failed: number }
  readonly paymentEvents: Readonly<Record<OpenState, number>>
  readonly destinations: ReadonlyArray<{
    readonly id: string
    readonly pending: number
    readonly dead: number
    readonly oldestSeconds: number | null
    readonly disabledAt: string | null
  }>
  readonly vendors: ReadonlyArray<{
    readonly vendor: string
    readonly model: string
    readonly reason: string
    readonly failures: number
  }>
  readonly refusals: Readonly<Record<string, number>>
}

interface IndexedBy {
  readonly embedder: string | null
  readonly parser: string | null
  readonly version: number | null
}

interface IndexingCounts {
  readonly documents: number
  readonly passages: number
  readonly outdated: number
  readonly outdatedPassages: number
  readonly failed: number
}

/** The indexing of all people's documents, compared with the present one. */
export interface EveryonesReindexing extends IndexingCounts {
  readonly groups: ReadonlyArray<{
    readonly type: string
    readonly documents: number
    readonly failed: boolean
    readonly indexedBy: IndexedBy
    readonly today: IndexedBy
  }>
  readonly jobs: { readonly waiting: number; readonly running: number; readonly failed: number }
  /** People whose re-indexing ended early. */
  readonly stopped: ReadonlyArray<string>
  readonly failures: ReadonlyArray<{
    readonly userId: string
    readonly documentId: string
    readonly reasonCode: string
  }>
}

/** The cost of re-indexing; null for what is not known. */
export interface ReindexingEstimate extends IndexingCounts {
  readonly tokens: number | null
  readonly embedder: string | null
  readonly usd: number | null
}

/** Rows of a page of each list. */
const ROWS = 50
const HISTORY_ROWS = 20
/** Every query of this file, so that an action reads all of them again. */
export const ADMIN = ["admin"] as const

const path = (userId: string): string => `/api/admin/users/${segment(userId)}`

export const peopleQuery = (search: string, isBlocked: boolean) =>
  infiniteQueryOptions({
    queryKey: [...ADMIN, "people", search, isBlocked],
    queryFn: ({ pageParam, signal }) => {
      const query = new URLSearchParams({ limit: String(ROWS), blocked: String(isBlocked) })
      if (search !== "") query.set("search", search)
      if (pageParam !== null) query.set("after", pageParam)
      return read<{ readonly users: ReadonlyArray<ListedPerson>; readonly next: string | null }>(
        `/api/admin/users?${query}`,
        signal
      )
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next
  })

export const personQuery = (userId: string) =>
  queryOptions({
    queryKey: [...ADMIN, "person", userId],
    queryFn: ({ signal }) => read<Person>(path(userId), signal)
  })

/** A person's credit transactions, newest first. */
export const personHistoryQuery = (userId: string) =>
  infiniteQueryOptions({
    queryKey: [...ADMIN, "person", userId, "history"],
    queryFn: ({ pageParam, signal }) =>
      read<{ readonly transactions: ReadonlyArray<Transaction>; readonly total: number; readonly offset: number }>(
        `${path(userId)}/history?limit=${HISTORY_ROWS}&offset=${pageParam}`,
        signal
      ),
    initialPageParam: 0,
    getNextPageParam: ({ offset, total, transactions }) => {
      const next = offset + transactions.length
      return next < total && transactions.length > 0 ? next : null
    }
  })

/** The actions of operators, newest first: all, or those on one person. */
export const auditQuery = (userId: string) =>
  infiniteQueryOptions({
    queryKey: [...ADMIN, "audit", userId],
    queryFn: ({ pageParam, signal }) => {
      const query = new URLSearchParams({ limit: String(ROWS) })
      if (userId !== "") query.set("user", userId)
      if (pageParam !== null) query.set("before", String(pageParam))
      return read<{ readonly entries: ReadonlyArray<AuditEntry>; readonly next: number | null }>(
        `/api/admin/audit?${query}`,
        signal
      )
    },
    initialPageParam: null as number | null,
    getNextPageParam: ({ next }) => next
  })

/** Days of the charts. */
export const MONEY_DAYS = 30

export const moneyQuery = queryOptions({
  queryKey: [...ADMIN, "money"],
  queryFn: ({ signal }) => read<Money>(`/api/admin/money?days=${MONEY_DAYS}`, signal)
})

export const paymentsQuery = (state: OpenState) =>
  infiniteQueryOptions({
    queryKey: [...ADMIN, "payments", state],
    queryFn: ({ pageParam, signal }) => {
      const query = new URLSearchParams({ state, limit: String(ROWS) })
      if (pageParam !== null) query.set("before", pageParam)
      return read<{ readonly events: ReadonlyArray<PaymentEvent>; readonly next: string | null }>(
        `/api/admin/payments?${query}`,
        signal
      )
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next
  })

export const healthQuery = queryOptions({
  queryKey: [...ADMIN, "health"],
  queryFn: ({ signal }) => read<Health>("/api/admin/health", signal),
  refetchInterval: 10_000
})

const REINDEXING_POLL_MS = 2_000

/** Read again while documents are indexed anew. */
export const everyonesReindexingQuery = queryOptions({
  queryKey: [...ADMIN, "reindexing"],
  queryFn: ({ signal }) => read<EveryonesReindexing>("/api/admin/reindexing", signal),
  refetchInterval: ({ state: { data } }) =>
    data !== undefined && data.jobs.waiting + data.jobs.running > 0 ? REINDEXING_POLL_MS : false
})

export const reindexingEstimateQuery = queryOptions({
  queryKey: [...ADMIN, "reindexing", "estimate"],
  queryFn: ({ signal }) => read<ReindexingEstimate>("/api/admin/reindexing/estimate", signal)
})

export const startEveryonesReindexing = (reason: string) => send("/api/admin/reindexing", json("POST", { reason }))

/** Compares the accounts of one page with their rows; `since` is that of the first page. */
export const readVerification = (since: string | undefined, after: string | undefined, signal: AbortSignal) => {
  const query = new URLSearchParams()
  if (since !== undefined) query.set("since", since)
  if (after !== undefined) query.set("after", after)
  return read<Verification>(`/api/admin/verification?${query}`, signal)
}

/** An action on a person: the method and the last part of the path, with the body. */
export interface PersonAction {
  readonly method: "POST" | "PUT"
  readonly name: "block" | "unblock" | "sign-out" | "grants" | "adjustments" | "tier" | "unpin"
  readonly body: Readonly<Record<string, unknown>> & { readonly reason: string }
}

export const actOn = (userId: string, { body, method, name }: PersonAction) =>
  send(`${path(userId)}/${name}`, json(method, body))
