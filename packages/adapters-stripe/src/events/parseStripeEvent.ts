import type { PaymentEvent, ReceivedPaymentEvent } from "@parley/core/adapter"
import { ShapeReader, UnknownShape } from "../shapes/ShapeReader.ts"
import { customerOf, orUnreadable } from "../shapes/subject.ts"
import { readEventObject } from "./eventKinds.ts"

/** The origin that an event must have to concern this server. */
export interface EventOrigin {
  /** True if its key is for real payments; undefined if the key does not say it. */
  readonly livemode?: boolean | undefined
}

const isOfOtherMode = (event: ShapeReader, { livemode }: EventOrigin): boolean =>
  livemode !== undefined && event.has("livemode") && event.flag("livemode") !== livemode

const reportOf = (event: ShapeReader, kind: string, value: unknown, origin: EventOrigin): PaymentEvent => {
  // Events of connected accounts name them; an account's own events do not.
  if (event.has("account")) return { _tag: "Foreign" }
  if (isOfOtherMode(event, origin)) return { _tag: "OtherMode" }
  return orUnreadable(value, (object) => readEventObject(kind, object))
}

/** Reads a parsed event with the text `payload`. Throws `UnknownShape` if it is not an event. */
export const stripeEventFrom = (value: unknown, payload: string, origin: EventOrigin): ReceivedPaymentEvent => {
  const event = new ShapeReader(value, "event")
  if (event.raw("object") !== "event") event.refuse("object", "not an event")
  const kind = event.text("type")
  const data = event.object("data")
  data.object("object")
  const object = data.raw("object")
  return {
    id: event.text("id"),
    kind,
    createdAt: event.time("created"),
    customerId: customerOf(object),
    event: reportOf(event, kind, object, origin),
    payload
  }
}

/**
 * Reads the text of an event of Stripe's, of either generation of its format, into a neutral one. An event of a kind that
 * matters in a form that is not known is `Unreadable`; a text that is no event at all throws `UnknownShape`.
 */
export const parseStripeEvent = (payload: string, origin: EventOrigin = {}): ReceivedPaymentEvent => {
  let value: unknown
  try {
    value = JSON.parse(payload)
  } catch {
    throw new UnknownShape("event: not JSON")
  }
  return stripeEventFrom(value, payload, origin)
}
