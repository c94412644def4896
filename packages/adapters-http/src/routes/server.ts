import { BillingService } from "@parley/core/effect"
import { Effect, Schema } from "effect"
import { publicAccess } from "../access/publicAccess.ts"
import { statusAccess } from "../access/statusAccess.ts"
import { json } from "../answers/Answer.ts"
import { ApiDocument } from "../environment/ApiDocument.ts"
import { PublicAddress, publicAddressOf } from "../environment/PublicAddress.ts"
import { Readiness } from "../environment/Readiness.ts"
import { UntrustedProxy } from "../exchange/UntrustedProxy.ts"
import { defineRoute } from "./Route.ts"
import { withTiers } from "./TierName.ts"

const StatusBody = Schema.Struct({ status: Schema.String })

const NOTES = ["untrusted_proxy"] as const

const HealthBody = Schema.Struct({
  status: Schema.String,
  notes: Schema.optionalKey(Schema.Array(Schema.Literals(NOTES))).annotate({
    description:
      "For callers on the server's own machine alone: what its operator should look at, where there is something."
  })
})

/** Reports that the process runs. Checks nothing else. */
export const getHealth = defineRoute({
  method: "GET",
  path: "/healthz",
  summary: "Says that the process runs",
  access: statusAccess,
  responses: { 200: { description: "It runs.", schema: HealthBody } },
  errors: [],
  handle: ({ caller: { isHere } }) =>
    UntrustedProxy.useSync(({ isSeen }) =>
      json(200, isHere && isSeen() ? { status: "ok", notes: NOTES } : { status: "ok" })
    )
})

/** Reports that requests can be served; checks at most once a second. */
export const getReadiness = defineRoute({
  method: "GET",
  path: "/readyz",
  summary: "Says that everything the server depends on answers",
  access: publicAccess,
  responses: { 200: { description: "It does.", schema: StatusBody } },
  errors: ["not_ready"],
  handle: () =>
    Effect.as(
      Readiness.use(({ check }) => check),
      json(200, { status: "ready" })
    )
})

/** The description of all routes. */
export const getOpenApi = defineRoute({
  method: "GET",
  path: "/openapi.json",
  summary: "Describes all routes (OpenAPI 3.1)",
  access: publicAccess,
  responses: { 200: { description: "The document.", schema: Schema.Record(Schema.String, Schema.Unknown) } },
  errors: [],
  handle: Effect.fnUntraced(function* ({ prefix }) {
    const document = withTiers((yield* ApiDocument)(), (yield* BillingService).tiers)
    const url = publicAddressOf(yield* PublicAddress, prefix)
    return json(200, url === undefined ? document : { ...document, servers: [{ url }] })
  })
})
