import type { Redacted } from "effect"

// Separate from the client, so that the public types do not mention the SDK, which is an optional package.

/** The version of Stripe's interface that requests ask for, independent of the account's own. */
export const STRIPE_API_VERSION = "2026-10-28.endive"

/** Limits on the time and the retries of calls to Stripe. */
export interface StripeLimits {
  /** For one request. */
  readonly requestMs: number
  /** For a call with its retries and the waits between them. */
  readonly totalMs: number
  /** Beyond the first request. */
  readonly retries: number
  /** Before the first retry; doubled before each further one, and shortened at random by up to half. */
  readonly baseDelayMs: number
  /** A longer wait that Stripe asks for is not waited for. */
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
  /** None: every call fails with `PaymentsNotConfigured`. */
  readonly apiKey: Redacted.Redacted<string> | undefined
  /** Another server that speaks Stripe's protocol, also below a path; Stripe itself unless given. */
  readonly apiUrl?: string | undefined
  readonly limits?: Partial<StripeLimits>
  /** Sends requests; the global `fetch` by default. */
  readonly fetch?: typeof fetch
}
