import type { PaymentEvent, ReceivedPaymentEvent } from "@parley/core/adapter"
import { ShapeReader, UnknownShape } from "../shapes/ShapeReader.ts"
import { customerOf, orUnreadable } from "../shapes/subject.ts"
import { readEventObject } from "./eventKinds.ts"

/** The facts about this server with which events are compared, to ignore events that do not concern it. */
export interface EventOrigin {
  /** True if this server's key is for real payments; undefined if the key does not show it. */
  readonly livemode?: boolean | undefined
}

const isOfOtherMode = (event: ShapeReader, { livemode }: EventOrigin): boolean =>
  livemode !== undefined && event.has("livemode") && event.flag("livemode") !== livemode

const reportOf = (event: ShapeReader, kind: string, value: unknown, origin: EventOrigin): PaymentEvent => {
  // An event of a connected account names that account; an event of the account itself does not.
  if (event.has("account")) return { _tag: "Foreign" }
  if (isOfOtherMode(event, origin)) return { _tag: "OtherMode" }
  return orUnreadable(value, (object) => readEventObject(kind, object))
}

/** Reads an event that was parsed from the text `payload`. Throws `UnknownShape` if the value is no event. */
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
 * Reads the text of a Stripe event, of either generation of its format, into the neutral form of the core. If the
 * event's kind matters but its form is unknown, the result is `Unreadable`. If the text is no event at all, throws
 * `UnknownShape`.
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
