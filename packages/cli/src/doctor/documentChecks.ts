import { Database } from "@parley/adapters-db"
import { DocumentReindex } from "@parley/core/effect"
import type { DocumentType } from "@parley/core"
import { Effect } from "effect"
import { type Check, note, ok } from "./Check.ts"

const NAME = "documents"

interface IndexedGroup extends Record<string, unknown> {
  readonly type: DocumentType
  readonly parser: string | null
  readonly version: number | null
  readonly embedder: string | null
  readonly documents: number
}

/** The parsers and embedders that indexed the ready documents. */
const groupsText = (schema: string) => `SELECT d.type, g.parser, g.version, g.embedder, count(*)::integer AS documents
  FROM ${schema}.documents d JOIN ${schema}.passage_generations g ON g.user_id = d.user_id AND g.document_id = d.id AND g.active
  WHERE d.status = 'ready' GROUP BY 1, 2, 3, 4`

/** Ready documents with an unfinished re-indexing. */
const begunText = (schema: string) => `SELECT count(*)::integer AS documents FROM ${schema}.documents d
  WHERE d.status = 'ready' AND EXISTS (SELECT FROM ${schema}.passage_generations g
    WHERE g.user_id = d.user_id AND g.document_id = d.id AND NOT g.active)`

const counted = (count: number): string => (count === 1 ? "1 document was" : `${count} documents were`)

const WHAT = 'Run "parley reindex"; with --dry-run it tells what that costs.'

/** Checks that the current configuration indexed all documents, and that no re-indexing was interrupted. */
export const documentChecks = Effect.gen(function* () {
  const { schema, statement } = yield* Database
  const { indexedBy } = yield* DocumentReindex
  const groups = yield* statement<IndexedGroup>(groupsText(schema))
  const [begun = { documents: 0 }] = yield* statement<{ documents: number }>(begunText(schema))
  /** The number of documents by their outdated parser or embedder. */
  const others = new Map<string, number>()
  const count = (by: string, documents: number) => others.set(by, (others.get(by) ?? 0) + documents)
  let all = 0
  for (const { documents, embedder, parser, type, version } of groups) {
    const today = indexedBy(type)
    all += documents
    if ((embedder ?? undefined) !== today.embedder) {
      count(`with ${embedder ?? "no embedder"}, not with ${today.embedder ?? "none"}`, documents)
    } else if ((version ?? undefined) !== today.version) count("by another version of Parley", documents)
    else if ((parser ?? undefined) !== today.parser) {
      count(`by the parser ${parser ?? "of an earlier version"}, not by ${today.parser ?? "none"}`, documents)
    }
  }
  const found: Array<Check> = [...others].map(([by, documents]) =>
    note(NAME, `${counted(documents)} indexed ${by}`, WHAT)
  )
  if (begun.documents > 0) {
    found.push(
      note(NAME, `${counted(begun.documents)} not indexed anew to the end`, `${WHAT} It goes on where it stopped.`)
    )
  }
  return found.length > 0 || all === 0 ? found : [ok(NAME, `${all} ready, indexed by what is configured`)]
})
