import {
  PackageMissing,
  type PaymentObject,
  PaymentObjectNotFound,
  PaymentRefused,
  PaymentUnavailable
} from "@parley/core/adapter"
import { UnknownShape } from "../shapes/ShapeReader.ts"
import { StripeRedirected } from "./answerErrors.ts"

/** A call, and the objects at Stripe that it needs. */
export interface StripeCall {
  /** The name of the gateway's method. */
  readonly operation: string
  /** The objects that the call needs, each with its id, by the parameter that Stripe names if the object is missing. */
  readonly needs: Readonly<Record<string, readonly [PaymentObject, string]>>
}

/** The failure of a call, and the facts that decide whether it is retried. */
export interface StripeFailure {
  readonly error: PaymentUnavailable | PaymentRefused | PaymentObjectNotFound
  readonly isRetryable: boolean
  readonly retryAfterMs: number | undefined
  /** True if Stripe returned the stored response of this idempotency key, which it would return again. */
  readonly isReplayed: boolean
}

type Fields = Readonly<Record<string, unknown>>

const fieldsOf = (value: unknown): Fields => (typeof value === "object" && value !== null ? (value as Fields) : {})

/** Returns the fields of the error of `stripeFetch` if the SDK has wrapped one; otherwise those of the thrown error. */
const unwrapped = (cause: unknown): Fields => {
  const { detail } = fieldsOf(cause)
  return detail instanceof Error ? fieldsOf(detail) : fieldsOf(cause)
}

const textIn = (fields: Fields, name: string): string | undefined => {
  const value = fields[name]
  return typeof value === "string" ? value : undefined
}

/** Returns Stripe's error code. Codes are short words; if the field contains anything else, returns "unknown". */
const codeOf = (error: Fields): string => {
  const code = textIn(error, "code") ?? textIn(error, "rawType") ?? textIn(error, "name") ?? ""
  return /^[A-Za-z0-9_]{1,64}$/.test(code) ? code : "unknown"
}

const secondsIn = (headers: Fields): number | undefined => {
  const seconds = Number(headers["retry-after"])
  return headers["retry-after"] !== undefined && Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined
}

/** Returns the object that the call needs and that does not exist at Stripe. */
const missingOf = ({ needs }: StripeCall, error: Fields) => {
  if (textIn(error, "code") !== "resource_missing") return undefined
  const param = textIn(error, "param")
  const [only, ...others] = Object.values(needs)
  return (param === undefined ? undefined : needs[param]) ?? (others.length === 0 ? only : undefined)
}

/**
 * True for failures that may be temporary: the first request with this idempotency key is still running, a rate limit,
 * an outage.
 */
const mayPass = (status: number | undefined): boolean =>
  status === undefined || status === 409 || status === 429 || status === 408 || status >= 500

const failure = (error: StripeFailure["error"], more: Partial<StripeFailure> = {}): StripeFailure => ({
  error,
  isRetryable: false,
  retryAfterMs: undefined,
  isReplayed: false,
  ...more
})

/** The failure of a call whose response has an unknown form. Its message contains no values of the response. */
export const unreadable = (operation: string, cause: unknown): PaymentRefused => {
  if (!(cause instanceof UnknownShape)) throw cause
  return new PaymentRefused({ operation, reason: `unreadable ${cause.message}`, cause })
}

/** Converts an error of a call to Stripe to a named failure. Texts of Stripe are only in its `cause`. */
export const stripeFailure = (call: StripeCall, cause: unknown): StripeFailure => {
  const { operation } = call
  if (cause instanceof UnknownShape) return failure(unreadable(operation, cause))
  if (cause instanceof PackageMissing) {
    return failure(new PaymentRefused({ operation, reason: `${cause.code} ${cause.packageName}`, cause }))
  }
  const error = unwrapped(cause)
  if (error instanceof StripeRedirected) {
    return failure(new PaymentRefused({ operation, reason: "redirected", cause }))
  }
  const status = typeof error["statusCode"] === "number" ? error["statusCode"] : undefined
  const missing = missingOf(call, error)
  if (missing !== undefined) {
    const [object, id] = missing
    return failure(new PaymentObjectNotFound({ object, id }))
  }
  if (!mayPass(status)) return failure(new PaymentRefused({ operation, reason: codeOf(error), cause }))
  const headers = fieldsOf(error["headers"])
  const seconds = secondsIn(headers)
  const retryAfterMs = seconds === undefined ? undefined : seconds * 1000
  return failure(
    new PaymentUnavailable({ operation, ...(retryAfterMs === undefined ? {} : { retryAfterMs }), cause }),
    {
      isRetryable: headers["stripe-should-retry"] !== "false",
      retryAfterMs,
      isReplayed: headers["idempotent-replayed"] === "true"
    }
  )
}
