import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query"
import { read, segment } from "./request.ts"

/** A page of a document: UTF-16 offsets in its text. */
export interface PageSpan {
  readonly page: number
  readonly start: number
  readonly end: number
}

/** A stretch of a document's text. */
export interface DocumentText {
  readonly documentId: string
  readonly filename: string
  readonly type: string
  readonly from: number
  readonly to: number
  /** Of the whole text. */
  readonly length: number
  readonly text: string
  /** The pages of the stretch; null if the document has none. */
  readonly pages: ReadonlyArray<PageSpan> | null
}

const MINUTES = 60_000

/** The text between two offsets; the server returns at most 65,536 units at once. */
export const documentTextQuery = (documentId: string, from: number, to: number) =>
  queryOptions({
    queryKey: ["document-text", documentId, from, to],
    queryFn: ({ signal }) =>
      read<DocumentText>(`/api/documents/${segment(documentId)}/text?from=${from}&to=${to}`, signal),
    staleTime: 10 * MINUTES
  })

/** The length of one read of a text that is read piece by piece, in UTF-16 units. */
export const STRETCH = 24_000

/** A text around a place, which can be read on in both directions. */
export const readOnQuery = (documentId: string, place: number) =>
  infiniteQueryOptions({
    queryKey: ["document-text", documentId, "on", place],
    queryFn: ({ pageParam: { start, end }, signal }) =>
      read<DocumentText>(`/api/documents/${segment(documentId)}/text?from=${start}&to=${end}`, signal),
    initialPageParam: { start: Math.max(0, place - STRETCH / 3), end: place + STRETCH },
    getPreviousPageParam: ({ from }) => (from > 0 ? { start: Math.max(0, from - STRETCH), end: from } : undefined),
    getNextPageParam: ({ to, length }) => (to < length ? { start: to, end: to + STRETCH } : undefined),
    staleTime: 10 * MINUTES
  })

/** Stretches that follow each other, as one. */
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

/** The address of the file as it was uploaded. */
export const documentFilePath = (documentId: string): string => `/api/documents/${segment(documentId)}/file`
