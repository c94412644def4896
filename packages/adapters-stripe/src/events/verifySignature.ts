import type { InvalidSignature } from "@parley/core/adapter"
import type { SignedEvent } from "@parley/core"
import type Stripe from "stripe"

/**
 * The largest difference between the time of signing and the time of receiving, in seconds, in either direction.
 * Stripe's libraries bound the age alone.
 */
const TOLERANCE_SECONDS = 300

/** The SDK takes zero for any age. */
const ANY_AGE = 0

type Problem = InvalidSignature["problem"]

/** The SDK's own code for checking signatures. */
export type Webhooks = Pick<Stripe["webhooks"], "signature">

/** The time that a header says it was made at, in Unix milliseconds. */
const signedAt = (signature: string): number | undefined => {
  const seconds = /(?:^|,)t=(\d{1,12})(?:,|$)/.exec(signature)?.[1]
  return seconds === undefined ? undefined : Number(seconds) * 1000
}

/**
 * The exact text of the bytes. The SDK would decode them itself, but drops a byte order mark, and takes every byte that is
 * no UTF-8 for the same character: other bytes than those that were signed would pass.
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

/** The text of an event that Stripe signed, or the problem with its signature. */
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
