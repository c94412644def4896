import { DOCUMENT_FAILURES, type ReindexFailure } from "@parley/core/adapter"
import { type PersonReindexing, Reindexing } from "@parley/core/effect"
import { Effect } from "effect"
import { sessionAccess } from "../../access/personAccess.ts"
import { json } from "../../exchange/Exchange.ts"
import { choice, listOf, named, text, whole } from "../fields.ts"
import { defineRoute } from "../Route.ts"

/** The numbers of documents that match, and that do not match, the present configuration. */
export const IndexingBody = {
  documents: whole("The number of ready documents."),
  passages: whole("The number of their passages."),
  outdated: whole("Those of them that were indexed by another embedder, parser or version of the indexing."),
  outdatedPassages: whole("The number of passages of outdated documents."),
  failed: whole("The number of outdated documents that could not be indexed anew.")
}

const FailureBody = named("ReindexingFailure", "A document that could not be indexed anew.", {
  documentId: text("The document's id."),
  filename: text("The name of the uploaded file."),
  reasonCode: choice(DOCUMENT_FAILURES, "The reason.")
})

const ReindexingBody = named("Reindexing", "The indexing of a person's documents.", {
  ...IndexingBody,
  work: choice(
    ["none", "waiting", "running", "stopped"],
    "The work; `stopped`: it ended before the last document, and goes on with another POST."
  ),
  passagesInWork: whole("Passages of documents in work that are written already."),
  failures: listOf(FailureBody, "The first hundred documents that failed.")
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
