import type { InvalidSignature } from "@parley/core/adapter"
import type { SignedEvent } from "@parley/core"
import type Stripe from "stripe"

/**
 * The greatest allowed difference between the times of signing and of receiving, in seconds, in either direction.
 * Stripe's libraries check only that an event is not too old.
 */
const TOLERANCE_SECONDS = 300

/** With a tolerance of zero, the SDK accepts events of any age. */
const ANY_AGE = 0

type Problem = InvalidSignature["problem"]

/** The part of the SDK that checks signatures. */
export type Webhooks = Pick<Stripe["webhooks"], "signature">

/** Returns the time of signing that a signature header states, in Unix milliseconds. */
const signedAt = (signature: string): number | undefined => {
  const seconds = /(?:^|,)t=(\d{1,12})(?:,|$)/.exec(signature)?.[1]
  return seconds === undefined ? undefined : Number(seconds) * 1000
}

/**
 * Returns the exact text of the bytes; undefined if they are not UTF-8. The SDK would decode them itself, but it drops
 * a byte order mark and decodes all invalid bytes to the same character, so it would accept bytes that were not signed.
 */
const exactText = (payload: Uint8Array): string | undefined => {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(payload)
  } catch {
    return undefined
  }
}

const hasSignature = (header: string): boolean =>
  signedAt(header) !== undefined && /(?:^|,)v1=[0-9a-f]+(?:,|$)/i.test(header)

/** Returns the text of an event if Stripe has signed it; otherwise the problem with its signature. */
export const signedText = (
  webhooks: Webhooks,
  { payload, receivedAt, signature }: SignedEvent,
  secret: string
): { readonly text: string } | { readonly problem: Problem } => {
  if (signature === undefined || signature === "") return { problem: "missing" }
  const text = exactText(payload)
  if (text === undefined || text === "" || !hasSignature(signature)) return { problem: "malformed" }
  const passes = (tolerance: number): boolean => {
    try {
      return webhooks.signature?.verifyHeader(text, signature, secret, tolerance, undefined, receivedAt) === true
    } catch {
      return false
    }
  }
  if (passes(TOLERANCE_SECONDS)) {
    const aheadMs = (signedAt(signature) ?? 0) - (receivedAt ?? 0)
    return aheadMs > TOLERANCE_SECONDS * 1000 ? { problem: "too-new" } : { text }
  }
  return { problem: passes(ANY_AGE) ? "too-old" : "mismatch" }
}
