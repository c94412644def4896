import type { Balance, Document, ParleyClient, ParleyError, Plans } from "@parley/client"
import { type DataTag, type QueryKey, queryOptions, type UseQueryOptions } from "@tanstack/react-query"

/** Interval at which data in motion is read again, in milliseconds. */
const DOCUMENTS_EVERY_MS = 1_000
const BALANCE_EVERY_MS = 2_000

/** Options of TanStack Query that read data of the signed-in person, for its hooks and for a cache that a page has. */
export type ParleyQuery<A> = UseQueryOptions<A, ParleyError> & {
  readonly queryKey: DataTag<QueryKey, A, ParleyError>
}

/** The credits of the signed-in person; read again while some are held for replies. */
export const balanceQuery = (client: ParleyClient): ParleyQuery<Balance> =>
  queryOptions<Balance, ParleyError>({
    queryKey: ["parley", "balance"],
    queryFn: ({ signal }) => client.billing.balance({ signal }),
    refetchInterval: ({ state }) => ((state.data?.held ?? 0) > 0 ? BALANCE_EVERY_MS : false)
  })

/** The person's documents, newest first; read again while some are processed. */
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
