import { BillingService } from "@parley/core/effect"
import { Effect, Schema } from "effect"
import { publicAccess, statusAccess } from "../../access/openAccess.ts"
import { json, publicPathOf } from "../../exchange/Exchange.ts"
import { NotReady } from "../../problems/errors.ts"
import { choice, listOf, named, text } from "../fields.ts"
import { defineRoute } from "../Route.ts"
import { withTiers } from "../billing/tiers.ts"

const ReadinessBody = named("Readiness", "The readiness of a server.", {
  status: text("Always `ready`."),
  checks: listOf(
    named("ReadinessCheck", "A check of a part that not every request needs.", {
      name: text("The name of the check."),
      status: choice(["ok", "failed"], "The result of the check."),
      detail: text("A sentence for operators.")
    }),
    "The background work of all processes: `workers` fails if none lives, `jobs` if one waits over a minute. With several cells, `cells` fails if one of them does not answer, and names it."
  )
})

const NOTE = "untrusted_proxy"

const HealthBody = named("Health", "The state of a process.", {
  status: text("Always `ok`."),
  notes: Schema.optionalKey(Schema.Array(Schema.Literal(NOTE))).annotate({
    description: "For callers on the server's own machine alone: problems for its operator, if there are any."
  })
})

/** Reports that the process runs. Checks nothing else. */
export const getHealth = defineRoute({
  method: "GET",
  path: "/healthz",
  origin: "both",
  summary: "Reports that the process runs",
  access: statusAccess,
  responses: { 200: { description: "It runs.", schema: HealthBody } },
  errors: [],
  handle: ({ caller: { isHere }, context: { server } }) => {
    const notes = isHere && server.untrustedProxy.isSeen ? { notes: [NOTE] } : {}
    return Effect.succeed(json(200, { status: "ok", ...notes }))
  }
})

/** Reports that requests can be served; checks at most once a second. A server that is about to stop is not ready. */
export const getReadiness = defineRoute({
  method: "GET",
  path: "/readyz",
  origin: "both",
  summary: "Reports whether all dependencies of the server answer",
  access: publicAccess,
  responses: { 200: { description: "It does.", schema: ReadinessBody } },
  errors: ["not_ready"],
  handle: ({ context: { server } }) =>
    server.requests?.isStopping === true
      ? Effect.fail(new NotReady({ problem: "stopping" }))
      : Effect.map(server.ready, (checks) => json(200, { status: "ready", checks }))
})

/** The description of all routes. */
export const getOpenApi = defineRoute({
  method: "GET",
  path: "/openapi.json",
  summary: "Describes all routes (OpenAPI 3.1)",
  access: publicAccess,
  responses: { 200: { description: "The document.", schema: Schema.Record(Schema.String, Schema.Unknown) } },
  errors: [],
  handle: Effect.fnUntraced(function* ({ context }) {
    const { address, document } = context.server
    const described = withTiers(document(), (yield* BillingService).tiers)
    const url = `${address?.origin ?? ""}${publicPathOf(context)}`
    return json(200, url === "" ? described : { ...described, servers: [{ url }] })
  })
})
