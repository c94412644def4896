import type { Balance, Document, ParleyClient, ParleyError, Plans } from "@parley/client"
import { type DataTag, type QueryKey, queryOptions, type UseQueryOptions } from "@tanstack/react-query"

/** Interval in milliseconds at which data is read again while it changes. */
const DOCUMENTS_EVERY_MS = 1_000
const BALANCE_EVERY_MS = 2_000

/**
 * The options of TanStack Query with which data of the signed-in person is read: for TanStack's hooks, or for a page's
 * own cache.
 */
export type ParleyQuery<A> = UseQueryOptions<A, ParleyError> & {
  readonly queryKey: DataTag<QueryKey, A, ParleyError>
}

/** The credits of the signed-in person. They are read again while some are held for replies. */
export const balanceQuery = (client: ParleyClient): ParleyQuery<Balance> =>
  queryOptions<Balance, ParleyError>({
    queryKey: ["parley", "balance"],
    queryFn: ({ signal }) => client.billing.balance({ signal }),
    refetchInterval: ({ state }) => ((state.data?.held ?? 0) > 0 ? BALANCE_EVERY_MS : false)
  })

/** The person's documents, newest first. They are read again while some are processed. */
export const documentsQuery = (client: ParleyClient): ParleyQuery<ReadonlyArray<Document>> =>
  queryOptions<ReadonlyArray<Document>, ParleyError>({
    queryKey: ["parley", "documents"],
    queryFn: ({ signal }) => client.documents.list({ signal }),
    refetchInterval: ({ state }) =>
      state.data?.some(({ status }) => status === "processing") === true ? DOCUMENTS_EVERY_MS : false
  })

/** Everything that is on sale. */
export const plansQuery = (client: ParleyClient): ParleyQuery<Plans> =>
  queryOptions<Plans, ParleyError>({
    queryKey: ["parley", "plans"],
    queryFn: ({ signal }) => client.billing.plans({ signal }),
    staleTime: 60_000
  })
