import type { ReceivedPaymentEvent } from "@parley/core/adapter"
import { isKeptText, ShapeReader, UnknownShape } from "../shapes/ShapeReader.ts"
import { type ReadEvent, readEventObject } from "./eventKinds.ts"

/** What an event has to be of to concern this server. */
export interface EventOrigin {
  /** Whether its key is one for real payments; undefined where it does not say. */
  readonly livemode?: boolean | undefined
}

/** An event as it was read; `cutInvoice` is to be looked up for the rest of its lines. */
export interface ParsedStripeEvent {
  readonly received: ReceivedPaymentEvent
  readonly cutInvoice: string | undefined
}

const isOfOtherMode = (event: ShapeReader, { livemode }: EventOrigin): boolean =>
  livemode !== undefined && event.has("livemode") && event.flag("livemode") !== livemode

/** The customer that an object is about, or is. */
const customerOf = (object: ShapeReader): string | undefined => {
  const id = object.raw("object") === "customer" ? object.raw("id") : object.raw("customer")
  const value = typeof id === "object" && id !== null && "id" in id ? id.id : id
  return isKeptText(value) ? value : undefined
}

const reportOf = (event: ShapeReader, kind: string, value: unknown, origin: EventOrigin): ReadEvent => {
  // Events of connected accounts name them; an account's own events do not.
  if (event.has("account")) return { event: { _tag: "Foreign" } }
  if (isOfOtherMode(event, origin)) return { event: { _tag: "OtherMode" } }
  try {
    return readEventObject(kind, value)
  } catch (error) {
    if (!(error instanceof UnknownShape)) throw error
    return { event: { _tag: "Unreadable", problem: error.message } }
  }
}

/** Reads an event that is parsed already, whose text is `payload`. Throws `UnknownShape` where it is no event. */
export const stripeEventFrom = (value: unknown, payload: string, origin: EventOrigin): ParsedStripeEvent => {
  const event = new ShapeReader(value, "event")
  if (event.raw("object") !== "event") event.refuse("object", "not an event")
  const kind = event.text("type")
  const data = event.object("data")
  const object = data.object("object")
  const { cutInvoice, event: report }: ReadEvent = reportOf(event, kind, data.raw("object"), origin)
  return {
    received: {
      id: event.text("id"),
      kind,
      createdAt: event.time("created"),
      customerId: customerOf(object),
      event: report,
      payload
    },
    cutInvoice
  }
}

/**
 * Reads the text of an event of Stripe's, of either generation of its format, into a neutral one. An event of a kind that
 * matters in a form that is not known is `Unreadable`; a text that is no event at all throws `UnknownShape`.
 */
export const parseStripeEvent = (payload: string, origin: EventOrigin = {}): ParsedStripeEvent => {
  let value: unknown
  try {
    value = JSON.parse(payload)
  } catch {
    throw new UnknownShape("event: not JSON")
  }
  return stripeEventFrom(value, payload, origin)
}
