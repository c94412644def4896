import { unfinishedReindexing } from "@parley/adapters-db"
import { ReindexRecords } from "@parley/core/adapter"
import { DocumentReindex } from "@parley/core/effect"
import { Effect } from "effect"
import { eachDatabase } from "../databases/eachDatabase.ts"
import { type Check, note, ok } from "./Check.ts"

const NAME = "documents"

const counted = (count: number): string => (count === 1 ? "1 document was" : `${count} documents were`)

const WHAT = 'Run "parley reindex" or start it in the administration; with --dry-run it tells what that costs.'

/** Checks that the current configuration indexed all documents, and that no re-indexing was interrupted. */
export const documentChecks = Effect.gen(function* () {
  const { indexedBy } = yield* DocumentReindex
  const groups = yield* ReindexRecords.use((records) => records.standing(undefined))
  const unfinished = (yield* eachDatabase(unfinishedReindexing)).reduce((sum, { result }) => sum + result, 0)
  /** The number of documents by their outdated parser or embedder. */
  const others = new Map<string, number>()
  const count = (by: string, documents: number) => others.set(by, (others.get(by) ?? 0) + documents)
  let all = 0
  for (const { documents, embedder, parser, type, version } of groups) {
    const today = indexedBy(type)
    all += documents
    if (embedder !== today.embedder) {
      count(`with ${embedder ?? "no embedder"}, not with ${today.embedder ?? "none"}`, documents)
    } else if (version !== today.version) count("by another version of Parley", documents)
    else if (parser !== today.parser) {
      count(`by the parser ${parser ?? "of an earlier version"}, not by ${today.parser ?? "none"}`, documents)
    }
  }
  const found: Array<Check> = [...others].map(([by, documents]) =>
    note(NAME, `${counted(documents)} indexed ${by}`, WHAT)
  )
  if (unfinished > 0) {
    found.push(note(NAME, `${counted(unfinished)} not indexed anew to the end`, `${WHAT} It goes on where it stopped.`))
  }
  return found.length > 0 || all === 0 ? found : [ok(NAME, `${all} ready, indexed by what is configured`)]
})
