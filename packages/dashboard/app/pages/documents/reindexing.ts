import { queryOptions } from "@tanstack/react-query"
import { read, send } from "../../api/request.ts"
import { reindexing as english } from "../../messages/en/reindexing.ts"
import { partMessages } from "../../messages/partMessages.ts"

const POLL_MS = 1_000

/** A document that could not be indexed anew. */
export interface ReindexFailure {
  readonly documentId: string
  readonly filename: string
  readonly reasonCode: string
}

/** The indexing of the person's documents, compared with the present one. */
export interface Reindexing {
  readonly documents: number
  readonly passages: number
  readonly outdated: number
  readonly outdatedPassages: number
  readonly failed: number
  readonly work: "none" | "waiting" | "running" | "stopped"
  readonly passagesInWork: number
  readonly failures: ReadonlyArray<ReindexFailure>
}

export const isReindexing = ({ work }: Pick<Reindexing, "work">): boolean => work === "waiting" || work === "running"

/** Read again while documents are indexed anew. */
export const reindexingQuery = queryOptions({
  queryKey: ["reindexing"],
  queryFn: ({ signal }) => read<Reindexing>("/api/reindexing", signal),
  refetchInterval: ({ state }) => (state.data !== undefined && isReindexing(state.data) ? POLL_MS : false)
})

/** Indexes the outdated documents anew, or goes on with it. */
export const startReindexing = () => send("/api/reindexing", { method: "POST" })

export const useReindexMessages = partMessages(
  english,
  async () => (await import("../../messages/de/reindexing.ts")).reindexing
)
