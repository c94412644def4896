import type { Redacted } from "effect"

// These types are in a separate file, so that the public types do not mention the SDK, which is an optional package.

/** The version of Stripe's interface that requests use, independent of the version in the account's settings. */
export const STRIPE_API_VERSION = "2026-10-28.endive"

/** Limits of time and retries for calls to Stripe; times are milliseconds. */
export interface StripeLimits {
  /** Time limit of one request. */
  readonly requestMs: number
  /** Time limit of a call with its retries and the waits between them. */
  readonly totalMs: number
  /** The number of retries after the first request. */
  readonly retries: number
  /**
   * The wait before the first retry. It doubles before each further retry, and is shortened at random by up to half.
   */
  readonly baseDelayMs: number
  /** The longest wait before a retry. If Stripe asks for a longer one, there is no retry. */
  readonly maxDelayMs: number
}

export const defaultStripeLimits: StripeLimits = {
  requestMs: 10_000,
  totalMs: 20_000,
  retries: 2,
  baseDelayMs: 300,
  maxDelayMs: 3_000
}

export interface StripeClientOptions {
  /** The secret key; without it, every call fails with `PaymentsNotConfigured`. */
  readonly apiKey: Redacted.Redacted<string> | undefined
  /** The address of another server with Stripe's protocol, which may include a path; Stripe itself by default. */
  readonly apiUrl?: string | undefined
  readonly limits?: Partial<StripeLimits>
  /** The function that sends requests; the global `fetch` by default. */
  readonly fetch?: typeof fetch
}
