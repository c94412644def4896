import { SecurityEvents } from "@parley/core/effect"
import { Effect, Result, Schema } from "effect"
import { publicAccess } from "../../access/openAccess.ts"
import { JSON_REFUSALS, type JsonRefusal } from "../../body/jsonBody.ts"
import { keepBody } from "../../body/receiveBody.ts"
import type { RouteBody } from "../../body/RouteBody.ts"
import { empty } from "../../exchange/Exchange.ts"
import { InvalidRequest } from "../../problems/errors.ts"
import { named } from "../fields.ts"
import { defineRoute } from "../Route.ts"

const MAX_REPORT_BYTES = 16 * 1024

/** The directives of Parley's own content security policies. A report names the directive that the browser enforced. */
const DIRECTIVES = [
  "default-src",
  "script-src",
  "script-src-elem",
  "script-src-attr",
  "style-src",
  "style-src-elem",
  "style-src-attr",
  "img-src",
  "font-src",
  "connect-src",
  "worker-src",
  "frame-src",
  "form-action",
  "base-uri",
  "frame-ancestors",
  "require-trusted-types-for",
  "trusted-types"
]

const Report = named("PolicyReport", "The report of a browser that enforced a content security policy.", {
  "csp-report": named("PolicyViolation", "The report of a browser. Only its directive is read.", {
    "effective-directive": Schema.optionalKey(Schema.String).annotate({
      description: "The directive that the browser enforced."
    })
  })
})

const decode = Schema.decodeUnknownResult(Schema.fromJsonString(Report))

/**
 * Reads the directive of a report, or `other`. The rest of a report, with addresses and pieces of pages, is neither
 * stored nor repeated.
 */
const reportBody: RouteBody<string, "invalid_request" | JsonRefusal> = {
  contentType: "application/csp-report",
  description: "The report, at most 16 KiB.",
  schema: Report,
  errors: ["invalid_request", ...JSON_REFUSALS],
  read: Effect.fnUntraced(function* ({ request, server }, person) {
    const { json, pace } = server.bodies
    const taken = request.takenBody()
    const text =
      taken?._tag === "value"
        ? JSON.stringify(taken.value)
        : (yield* keepBody(request, { limit: MAX_REPORT_BYTES, memory: json, pace, person })).bytes.toString("utf8")
    const report = decode(text)
    if (Result.isFailure(report)) {
      return yield* new InvalidRequest({ issues: [{ path: "body", message: "Expected the report of a browser" }] })
    }
    const { "effective-directive": named } = report.success["csp-report"]
    return DIRECTIVES.find((directive) => directive === named) ?? "other"
  })
}

/** Receives the reports of browsers that enforced the content security policy of a page. Reports carry no session. */
export const postPolicyReport = defineRoute({
  method: "POST",
  path: "/csp-reports",
  summary: "Counts a refusal by the content security policy of a page as a security event",
  access: publicAccess,
  body: reportBody,
  responses: { 204: { description: "Counted." } },
  errors: [],
  handle: ({ body: problem }) =>
    Effect.as(
      SecurityEvents.use(({ refuse }) =>
        refuse({ outcome: "csp_violation", problem, userId: undefined, suspicious: true })
      ),
      empty()
    )
})
