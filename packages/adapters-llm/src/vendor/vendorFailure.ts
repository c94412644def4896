import { ModelFailed, PackageMissing } from "@parley/core/adapter"
import { ConnectionsUsedUp } from "./Connections.ts"
import { readErrorBody } from "./errorBody.ts"
import { AnswerTooLarge } from "./readBounded.ts"
import { ConnectionLost } from "./readEventStream.ts"
import { EventStreamBroken } from "./serverSentEvents.ts"
import { unwrapRefusal, VendorRedirected, VendorRefusal } from "./VendorRefusal.ts"
import { BAD_ANSWER, misconfigured, OVERLONG, REDIRECTED, type Verdict, verdictOn } from "./verdict.ts"

/** The longest accepted wait: a longer one is a mistake of the vendor or of this server's clock. */
const MAX_WAIT_MS = 24 * 3_600_000

/**
 * Returns the wait in milliseconds that a vendor asks for (`retry-after-ms`, or RFC 9110 `Retry-After` in seconds or as
 * a date), at most a day.
 */
export const retryAfterMs = (headers: Headers | undefined, now: number): number | undefined => {
  const asked = askedWaitMs(headers, now)
  return asked === undefined ? undefined : Math.min(MAX_WAIT_MS, asked)
}

const askedWaitMs = (headers: Headers | undefined, now: number): number | undefined => {
  const exact = Number(headers?.get("retry-after-ms") ?? Number.NaN)
  if (Number.isFinite(exact) && exact >= 0) return Math.ceil(exact)
  const given = headers?.get("retry-after")?.trim() ?? ""
  if (/^\d{1,9}(?:\.\d+)?$/.test(given)) return Math.ceil(Number(given) * 1_000)
  const date = /^[a-z]{3}/i.test(given) ? Date.parse(given) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

/** Returns the verdict on an error that a request or its stream has thrown. */
const verdictOnThrown = (cause: unknown): Verdict => {
  if (cause instanceof VendorRefusal) return verdictOn(cause.status, readErrorBody(cause.body))
  if (cause instanceof VendorRedirected) return REDIRECTED
  if (cause instanceof PackageMissing) return misconfigured(cause.message)
  if (cause instanceof ConnectionLost) return { reason: "cut-off", retryable: true }
  if (cause instanceof EventStreamBroken) return BAD_ANSWER
  if (cause instanceof AnswerTooLarge) return OVERLONG
  return { reason: "unavailable", retryable: !(cause instanceof ConnectionsUsedUp) }
}

/** Converts an error that a request or its stream has thrown to the port's failure. */
export const vendorFailure = (model: string, thrown: unknown, now = Date.now()): ModelFailed => {
  if (thrown instanceof ModelFailed) return thrown
  const cause = unwrapRefusal(thrown)
  const wait = cause instanceof VendorRefusal ? retryAfterMs(cause.headers, now) : undefined
  return new ModelFailed({
    model,
    ...verdictOnThrown(cause),
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
    cause
  })
}

/** Converts an error event of a stream to the port's failure. */
export const failureEvent = (model: string, event: unknown): ModelFailed =>
  new ModelFailed({ model, ...verdictOn(undefined, readErrorBody(event)) })
