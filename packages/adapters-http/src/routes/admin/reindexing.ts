import { UserId } from "@parley/core"
import { DOCUMENT_FAILURES, DOCUMENT_TYPES } from "@parley/core/adapter"
import { type EveryonesReindexing, Reindexing } from "@parley/core/effect"
import { Effect, Schema } from "effect"
import { askedBy, operatorAccess } from "../../access/operatorAccess.ts"
import { jsonBody } from "../../body/jsonBody.ts"
import { json } from "../../exchange/Exchange.ts"
import { IndexingBody } from "../documents/reindexing.ts"
import { choice, flag, listOf, named, orNull, text, whole } from "../fields.ts"
import { defineRoute } from "../Route.ts"
import { Reason } from "./operatorParameters.ts"

const VersionsBody = named("IndexVersions", "The parts that index documents.", {
  embedder: orNull(Schema.String, "The embedder; null without embeddings."),
  parser: orNull(Schema.String, "The parser and its version; null if it is unknown."),
  version: orNull(Schema.Int, "The version of the indexing; null if it is unknown.")
})

const GroupBody = named("ReindexingGroup", "Outdated documents that were indexed alike.", {
  type: choice(DOCUMENT_TYPES, "The type of the documents."),
  documents: whole("The number of documents."),
  failed: flag("True if they could not be indexed anew."),
  indexedBy: VersionsBody,
  today: VersionsBody
})

const FailureOfPersonBody = named("ReindexingFailureOfPerson", "A person's document that could not be indexed anew.", {
  userId: text("The person's id."),
  documentId: text("The document's id."),
  reasonCode: choice(DOCUMENT_FAILURES, "The reason.")
})

const ReindexingBody = named("ServiceReindexing", "The indexing of all people's documents.", {
  ...IndexingBody,
  groups: listOf(GroupBody, "Outdated documents by how they were indexed, and how they would be today."),
  jobs: named("ReindexingJobs", "Jobs, one a person, by state; 100 means 100 or more.", {
    waiting: whole("Jobs that wait."),
    running: whole("Jobs that run."),
    failed: whole("Jobs that have failed.")
  }),
  stopped: listOf(
    Schema.String,
    "People whose re-indexing ended early in the last month; another POST goes on with it."
  ),
  failures: listOf(FailureOfPersonBody, "The first hundred documents that failed.")
})

const EstimateBody = named("ReindexingEstimate", "The estimated cost of re-indexing.", {
  ...IndexingBody,
  tokens: orNull(Schema.Int, "About as many tokens would be sent to the embedder; null if a sample does not show it."),
  embedder: orNull(Schema.String, "The embedder; null if there are no embeddings."),
  usd: orNull(Schema.Finite, "About the cost in US dollars; null if the embedder's price is not configured.")
})

const versions = ({ embedder, parser, version }: EveryonesReindexing["groups"][number]["today"]) => ({
  embedder: embedder ?? null,
  parser: parser ?? null,
  version: version ?? null
})

const reindexingBody = ({ failures, groups, ...state }: EveryonesReindexing): typeof ReindexingBody.Type => ({
  ...state,
  groups: groups.map((group) => ({
    type: group.type,
    documents: group.documents,
    failed: group.failed,
    indexedBy: versions(group),
    today: versions(group.today)
  })),
  failures: failures.map(({ documentId, failure, userId }) => ({ userId, documentId, reasonCode: failure }))
})

/** The indexing of all people's documents. */
export const getAdminReindexing = defineRoute({
  method: "GET",
  path: "/api/admin/reindexing",
  summary: "Tells how many documents of all people are on an older index, and how far their re-indexing is",
  access: operatorAccess("support"),
  responses: { 200: { description: "The state.", schema: ReindexingBody } },
  errors: ["storage_unavailable"],
  handle: Effect.fnUntraced(function* () {
    return json(200, reindexingBody(yield* Reindexing.use(({ ofEveryone }) => ofEveryone)))
  })
})

/** The cost of re-indexing all people's documents. */
export const getReindexingEstimate = defineRoute({
  method: "GET",
  path: "/api/admin/reindexing/estimate",
  summary: "Estimates by a sample what indexing all outdated documents anew costs",
  access: operatorAccess("support"),
  responses: { 200: { description: "The estimate.", schema: EstimateBody } },
  errors: ["storage_unavailable"],
  handle: Effect.fnUntraced(function* () {
    const { embedder, tokens, usdPerMillionTokens, ...state } = yield* Reindexing.use((reindexing) =>
      reindexing.estimate(undefined)
    )
    const body: typeof EstimateBody.Type = {
      ...state,
      tokens: tokens ?? null,
      embedder: embedder ?? null,
      usd: tokens === undefined || usdPerMillionTokens === undefined ? null : (tokens * usdPerMillionTokens) / 1_000_000
    }
    return json(200, body)
  })
})

/** Starts or continues re-indexing for all people, or for one. */
export const postAdminReindexing = defineRoute({
  method: "POST",
  path: "/api/admin/reindexing",
  summary: "Indexes the outdated documents of all people anew, or goes on with it; they stay searchable",
  access: operatorAccess("owner"),
  body: jsonBody(
    named("ReindexingStart", "The start of re-indexing by an operator.", {
      userId: Schema.optionalKey(UserId.annotate({ description: "Only this person's documents." })),
      reason: Reason
    }),
    "The reason."
  ),
  responses: { 200: { description: "It is queued.", schema: ReindexingBody } },
  errors: ["storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ body: { reason, userId }, caller }) {
    const reindexing = yield* Reindexing
    const asked = yield* askedBy(caller, reason)
    yield* userId === undefined ? reindexing.startEveryone(caller.userId, asked) : reindexing.start(userId, asked)
    return json(200, reindexingBody(yield* reindexing.ofEveryone))
  })
})
