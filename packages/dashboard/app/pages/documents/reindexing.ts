import type { Reindexing } from "@parley/client"
import { queryOptions } from "@tanstack/react-query"
import { parley } from "../../api/parley.ts"
import { reindexing as english } from "../../messages/en/reindexing.ts"
import { partMessages } from "../../messages/partMessages.ts"

const POLL_MS = 1_000

export const isReindexing = ({ work }: Pick<Reindexing, "work">): boolean => work === "waiting" || work === "running"

/** The state of the person's index; read again periodically while documents are re-indexed. */
export const reindexingQuery = queryOptions({
  queryKey: ["reindexing"],
  queryFn: ({ signal }) => parley.call("getReindexing", {}, { signal }),
  refetchInterval: ({ state }) => (state.data !== undefined && isReindexing(state.data) ? POLL_MS : false)
})

export const useReindexMessages = partMessages(english, {
  de: async () => (await import("../../messages/de/reindexing.ts")).reindexing,
  fr: async () => (await import("../../messages/fr/reindexing.ts")).reindexing,
  es: async () => (await import("../../messages/es/reindexing.ts")).reindexing,
  pt: async () => (await import("../../messages/pt/reindexing.ts")).reindexing
})
