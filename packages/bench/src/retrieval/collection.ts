import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** A document of the collection. `title` is undefined if it only repeats the id. */
export interface CollectionDocument {
  readonly id: string
  readonly title: string | undefined
  readonly text: string
}

export interface CollectionQuery {
  readonly id: string
  readonly text: string
}

/** A range of a document's text that answers a query, in UTF-16 units. */
export interface ReferenceSpan {
  readonly documentId: string
  readonly start: number
  readonly end: number
}

/** A collection: documents, queries, and judgements of which documents answer which queries. */
export interface Collection {
  readonly documents: ReadonlyArray<CollectionDocument>
  readonly queries: ReadonlyArray<CollectionQuery>
  /** The grades of relevance by query and by document; documents with a grade of 0 or less are not relevant. */
  readonly judgements: ReadonlyMap<string, ReadonlyMap<string, number>>
  /** The ranges that answer a query, by query; empty if the collection has none. */
  readonly spans: ReadonlyMap<string, ReadonlyArray<ReferenceSpan>>
}

type Fields = Readonly<Record<string, unknown>>

const lines = (file: string): ReadonlyArray<string> =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")

const readRecords = (file: string): ReadonlyArray<Fields> => lines(file).map((line) => JSON.parse(line) as Fields)

const textOf = (fields: Fields, ...names: ReadonlyArray<string>): string => {
  for (const name of names) {
    const value = fields[name]
    if (typeof value === "string" || typeof value === "number") return String(value)
  }
  return ""
}

/** Groups values by their key; the values of a group stay in order. */
const grouped = <A>(values: ReadonlyArray<readonly [key: string, value: A]>): Map<string, Array<A>> => {
  const groups = new Map<string, Array<A>>()
  for (const [key, value] of values) {
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [value])
    else group.push(value)
  }
  return groups
}

/**
 * Reads a line of judgements: `query document grade`, or the four columns of TREC, which have an iteration after the
 * query. A line of column names is skipped.
 */
const judgement = (line: string): ReadonlyArray<readonly [string, readonly [string, number]]> => {
  const columns = line.trim().split(/\s+/u)
  const grade = Number(columns.at(-1))
  return Number.isNaN(grade) ? [] : [[columns[0] ?? "", [columns.at(-2) ?? "", grade]]]
}

/** Makes a function that converts code point offsets of a text, in any order, to UTF-16 offsets. */
const makeOffsets = (text: string) => {
  const points: Array<number> = []
  let at = 0
  for (const character of text) {
    points.push(at)
    at += character.length
  }
  points.push(at)
  return (point: number): number => points[Math.min(Math.max(point, 0), points.length - 1)] ?? at
}

const readSpans = (file: string, documents: ReadonlyArray<CollectionDocument>): Collection["spans"] => {
  if (!existsSync(file)) return new Map()
  const offsets = new Map(documents.map(({ id, text }) => [id, makeOffsets(text)]))
  return grouped(
    readRecords(file).flatMap((fields) => {
      const documentId = textOf(fields, "docid", "documentId", "doc_id")
      const offset = offsets.get(documentId)
      if (offset === undefined) return []
      const span = { documentId, start: offset(Number(fields["start"])), end: offset(Number(fields["end"])) }
      return [[textOf(fields, "qid", "queryId", "query_id"), span]] as const
    })
  )
}

/**
 * Reads a collection from a folder: `docs.jsonl` (id, title, text), `queries.jsonl` (id, text), `qrels.tsv` (query,
 * document, grade) and, if it exists, `spans.jsonl` (qid, docid, start, end in code points). Throws if a file is
 * missing or is not JSON.
 */
export const readCollection = (folder: string): Collection => {
  const documents = readRecords(join(folder, "docs.jsonl")).map((fields) => {
    const id = textOf(fields, "id", "_id")
    const title = textOf(fields, "title").trim()
    return { id, title: title === "" || title === id ? undefined : title, text: textOf(fields, "text") }
  })
  const queries = readRecords(join(folder, "queries.jsonl")).map((fields) => ({
    id: textOf(fields, "id", "_id"),
    text: textOf(fields, "text", "query")
  }))
  const judgements = grouped(lines(join(folder, "qrels.tsv")).flatMap(judgement))
  return {
    documents,
    queries,
    judgements: new Map([...judgements].map(([query, grades]) => [query, new Map(grades)])),
    spans: readSpans(join(folder, "spans.jsonl"), documents)
  }
}
