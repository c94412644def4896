import { DOCUMENT_FAILURES, type ReindexFailure } from "@parley/core/adapter"
import { type PersonReindexing, Reindexing } from "@parley/core/effect"
import { Effect, Schema } from "effect"
import { sessionAccess } from "../../access/personAccess.ts"
import { json } from "../../exchange/Exchange.ts"
import { defineRoute } from "../Route.ts"

/** Counts of documents compared with the present configuration. */
export const IndexingBody = {
  documents: Schema.Int.annotate({ description: "Ready documents." }),
  passages: Schema.Int,
  outdated: Schema.Int.annotate({
    description: "Those of them that were indexed by another embedder, parser or version of the indexing."
  }),
  outdatedPassages: Schema.Int,
  failed: Schema.Int.annotate({ description: "Outdated documents that could not be indexed anew." })
}

const FailureBody = Schema.Struct({
  documentId: Schema.String,
  filename: Schema.String,
  reasonCode: Schema.Literals(DOCUMENT_FAILURES)
})

const ReindexingBody = Schema.Struct({
  ...IndexingBody,
  work: Schema.Literals(["none", "waiting", "running", "stopped"]).annotate({
    description: "`stopped`: the work ended before the last document, and goes on with another POST."
  }),
  passagesInWork: Schema.Int.annotate({ description: "Passages of documents in work that are written already." }),
  failures: Schema.Array(FailureBody).annotate({ description: "The first hundred documents that failed." })
})

const reindexingBody = ({ failures, ...state }: PersonReindexing): typeof ReindexingBody.Type => ({
  ...state,
  failures: failures.map(failureBody)
})

const failureBody = ({ documentId, failure, filename }: ReindexFailure): typeof FailureBody.Type => ({
  documentId,
  filename,
  reasonCode: failure
})

/** The indexing of a person's documents. */
export const getReindexing = defineRoute({
  method: "GET",
  path: "/api/reindexing",
  summary: "Tells how many of your documents are on an older index, and how far their re-indexing is",
  access: sessionAccess,
  responses: { 200: { description: "The state.", schema: ReindexingBody } },
  errors: ["storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ caller }) {
    return json(200, reindexingBody(yield* Reindexing.use((reindexing) => reindexing.ofPerson(caller.userId))))
  })
})

/** Starts or continues the re-indexing of a person's documents. */
export const postReindexing = defineRoute({
  method: "POST",
  path: "/api/reindexing",
  summary: "Indexes your outdated documents anew, or goes on with it; costs no credits, and they stay searchable",
  access: sessionAccess,
  responses: { 200: { description: "It waits or runs, unless no document is outdated.", schema: ReindexingBody } },
  errors: ["storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ caller: { userId } }) {
    const reindexing = yield* Reindexing
    const { outdated } = yield* reindexing.ofPerson(userId)
    if (outdated > 0) yield* reindexing.start(userId)
    return json(200, reindexingBody(yield* reindexing.ofPerson(userId)))
  })
})
