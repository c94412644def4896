import type { InputOf, Operations } from "@parley/client"
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query"
import { parley } from "./parley.ts"

export const OPEN_STATES = ["refused", "owed", "waiting", "unreadable"] as const
/** A state in which a payment event needs an operator's attention. */
export type OpenState = (typeof OPEN_STATES)[number]

/** The number of rows on a page of each list. */
const ROWS = 50
const HISTORY_ROWS = 20
/** The common key of all queries in this file, so that an action makes the page read all of them again. */
export const ADMIN = ["admin"] as const

export const peopleQuery = (search: string, blocked: boolean) =>
  infiniteQueryOptions({
    queryKey: [...ADMIN, "people", search, blocked],
    queryFn: ({ pageParam: after, signal }) =>
      parley.call("listPeople", { query: { limit: ROWS, blocked, search: search || undefined, after } }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next
  })

export const personQuery = (userId: string) =>
  queryOptions({
    queryKey: [...ADMIN, "person", userId],
    queryFn: ({ signal }) => parley.call("getPerson", { path: { id: userId } }, { signal })
  })

/** A person's credit transactions, newest first. */
export const personHistoryQuery = (userId: string) =>
  infiniteQueryOptions({
    queryKey: [...ADMIN, "person", userId, "history"],
    queryFn: ({ pageParam: offset, signal }) =>
      parley.call("getHistoryOfPerson", { path: { id: userId }, query: { limit: HISTORY_ROWS, offset } }, { signal }),
    initialPageParam: 0,
    getNextPageParam: ({ offset, total, transactions }) => {
      const next = offset + transactions.length
      return next < total && transactions.length > 0 ? next : null
    }
  })

/** The actions of operators, newest first: those on the person `userId`, or all if it is empty. */
export const auditQuery = (userId: string) =>
  infiniteQueryOptions({
    queryKey: [...ADMIN, "audit", userId],
    queryFn: ({ pageParam: before, signal }) =>
      parley.call("listAudit", { query: { limit: ROWS, user: userId || undefined, before } }, { signal }),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ next }) => next
  })

/** The number of days in the charts. */
export const MONEY_DAYS = 30

export const moneyQuery = queryOptions({
  queryKey: [...ADMIN, "money"],
  queryFn: ({ signal }) => parley.call("getMoneyReport", { query: { days: MONEY_DAYS } }, { signal })
})

export const paymentsQuery = (state: OpenState) =>
  infiniteQueryOptions({
    queryKey: [...ADMIN, "payments", state],
    queryFn: ({ pageParam: before, signal }) =>
      parley.call("listPayments", { query: { state, limit: ROWS, before } }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next
  })

export const healthQuery = queryOptions({
  queryKey: [...ADMIN, "health"],
  queryFn: ({ signal }) => parley.call("getServiceHealth", {}, { signal }),
  refetchInterval: 10_000
})

const REINDEXING_POLL_MS = 2_000

/** The indexing of all people's documents; read again periodically while documents are re-indexed. */
export const everyonesReindexingQuery = queryOptions({
  queryKey: [...ADMIN, "reindexing"],
  queryFn: ({ signal }) => parley.call("getServiceReindexing", {}, { signal }),
  refetchInterval: ({ state: { data } }) =>
    data !== undefined && data.jobs.waiting + data.jobs.running > 0 ? REINDEXING_POLL_MS : false
})

export const reindexingEstimateQuery = queryOptions({
  queryKey: [...ADMIN, "reindexing", "estimate"],
  queryFn: ({ signal }) => parley.call("estimateReindexing", {}, { signal })
})

/** The ids of the operations with which an owner acts on a person. */
type ActionId =
  | "setTierOfPerson"
  | "grantCreditsToPerson"
  | "adjustCredits"
  | "unpinTier"
  | "signOutPerson"
  | "blockPerson"
  | "unblockPerson"

/** An operation on a person, with its path and body. */
export type PersonAction = {
  readonly [Id in ActionId]: { readonly id: Id; readonly body: Operations[Id]["body"] }
}[ActionId]

export const actOn = async (userId: string, { body, id }: PersonAction): Promise<void> => {
  await parley.call(id, { path: { id: userId }, body } as InputOf<typeof id>)
}
