import type { DocumentText } from "@parley/client"
import { documentsQuery as documentsQueryOf } from "@parley/react"
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query"
import { parley } from "./parley.ts"

/** The person's documents, newest first. */
export const documentsQuery = documentsQueryOf(parley)

const MINUTES = 60_000

/** The text between two offsets. The server returns at most 65,536 UTF-16 units in one response. */
export const documentTextQuery = (documentId: string, from: number, to: number) =>
  queryOptions({
    queryKey: ["document-text", documentId, from, to],
    queryFn: ({ signal }) => parley.documents.text(documentId, { from, to }, { signal }),
    staleTime: 10 * MINUTES
  })

/** The number of UTF-16 units that are read at once from a long text. */
const STRETCH = 24_000

/** The text around an offset, page by page in both directions. */
export const readOnQuery = (documentId: string, place: number) =>
  infiniteQueryOptions({
    queryKey: ["document-text", documentId, "on", place],
    queryFn: ({ pageParam, signal }) => parley.documents.text(documentId, pageParam, { signal }),
    initialPageParam: { from: Math.max(0, place - STRETCH / 3), to: place + STRETCH },
    getPreviousPageParam: ({ from }) => (from > 0 ? { from: Math.max(0, from - STRETCH), to: from } : undefined),
    getNextPageParam: ({ to, length }) => (to < length ? { from: to, to: to + STRETCH } : undefined),
    staleTime: 10 * MINUTES
  })

/** Joins consecutive stretches of text into one. */
export const joinedText = (stretches: ReadonlyArray<DocumentText>): DocumentText | undefined => {
  const first = stretches[0]
  const last = stretches.at(-1)
  if (first === undefined || last === undefined) return undefined
  const pages = new Map(stretches.flatMap((each) => each.pages ?? []).map((page) => [page.page, page]))
  return {
    ...first,
    to: last.to,
    text: stretches.map(({ text }) => text).join(""),
    pages: first.pages === null ? null : [...pages.values()]
  }
}
