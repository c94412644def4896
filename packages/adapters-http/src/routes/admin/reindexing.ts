import { UserId } from "@parley/core"
import { DOCUMENT_FAILURES, DOCUMENT_TYPES } from "@parley/core/adapter"
import { type EveryonesReindexing, Reindexing } from "@parley/core/effect"
import { Effect, Schema } from "effect"
import { askedBy, operatorAccess } from "../../access/operatorAccess.ts"
import { jsonBody } from "../../body/jsonBody.ts"
import { json } from "../../exchange/Exchange.ts"
import { IndexingBody } from "../documents/reindexing.ts"
import { defineRoute } from "../Route.ts"
import { Reason } from "./operatorParameters.ts"

const VersionsBody = Schema.Struct({
  embedder: Schema.NullOr(Schema.String),
  parser: Schema.NullOr(Schema.String),
  version: Schema.NullOr(Schema.Int)
})

const ReindexingBody = Schema.Struct({
  ...IndexingBody,
  groups: Schema.Array(
    Schema.Struct({
      type: Schema.Literals(DOCUMENT_TYPES),
      documents: Schema.Int,
      failed: Schema.Boolean,
      indexedBy: VersionsBody,
      today: VersionsBody
    })
  ).annotate({ description: "Outdated documents by how they were indexed, and how they would be today." }),
  jobs: Schema.Struct({ waiting: Schema.Int, running: Schema.Int, failed: Schema.Int }).annotate({
    description: "Jobs, one a person, by state; 100 means 100 or more."
  }),
  stopped: Schema.Array(Schema.String).annotate({
    description: "People whose re-indexing ended early in the last month; another POST goes on with it."
  }),
  failures: Schema.Array(
    Schema.Struct({
      userId: Schema.String,
      documentId: Schema.String,
      reasonCode: Schema.Literals(DOCUMENT_FAILURES)
    })
  ).annotate({ description: "The first hundred documents that failed." })
})

const EstimateBody = Schema.Struct({
  ...IndexingBody,
  tokens: Schema.NullOr(Schema.Int).annotate({
    description: "About as many tokens would be sent to the embedder; null if a sample does not tell."
  }),
  embedder: Schema.NullOr(Schema.String).annotate({ description: "Null if there are no embeddings." }),
  usd: Schema.NullOr(Schema.Finite).annotate({
    description: "About the cost; null if the embedder's price is not configured."
  })
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
    Schema.Struct({
      userId: Schema.optional(UserId).annotate({ description: "Only this person's documents." }),
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
