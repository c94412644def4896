import { Effect } from "effect"
import type { EventOutcome } from "../BillingAccount.ts"
import type { ReceivedPaymentEvent } from "../provider/PaymentEvent.ts"
import type { PaymentGateway } from "../provider/PaymentGateway.ts"

/** Milliseconds: the longest time that an event waits for other checkout pages to be closed. */
const CLOSING_MS = 5_000

/** Logs the outcome of an event. */
export const reportOutcome = (event: ReceivedPaymentEvent, { note, state }: EventOutcome): Effect.Effect<void> => {
  const annotated = (log: Effect.Effect<void>) =>
    Effect.annotateLogs(log, { event: event.id, kind: event.kind, state, note })
  switch (state) {
    case "applied":
    case "ignored":
      return annotated(Effect.logDebug("An event of the payment provider was taken in."))
    case "owed":
      return annotated(
        Effect.logWarning("Something was paid for which nothing is given: refund it. See `parley billing list`.")
      )
    case "waiting":
      return annotated(Effect.logWarning("An event of the payment provider waits until its person is known."))
    case "refused":
    case "unreadable":
      return annotated(
        Effect.logError("An event of the payment provider could not be applied. See `parley billing list`.")
      )
  }
}

/** The customer that has begun a subscription according to an event; undefined for other events. */
const newSubscriber = ({ event }: ReceivedPaymentEvent): string | undefined => {
  if (event._tag === "Checkout" && event.session.mode === "subscription") return event.session.customerId
  return event._tag === "InvoicePaid" && event.invoice.reason === "create" ? event.invoice.customerId : undefined
}

/**
 * Closes the other checkout pages on which a new subscriber could begin a second subscription. If the provider does not
 * answer, the next event of the subscription tries again; the paid event does not wait for it.
 */
export const closeOtherPages = (
  gateway: PaymentGateway["Service"],
  event: ReceivedPaymentEvent,
  { state }: EventOutcome
): Effect.Effect<void> => {
  const isTaken = state === "applied" || state === "ignored"
  const customerId = isTaken ? newSubscriber(event) : undefined
  if (customerId === undefined) return Effect.void
  return gateway.closeCheckouts({ customerId, mode: "subscription" }).pipe(
    Effect.timeout(CLOSING_MS),
    Effect.catch(() => Effect.logWarning("Open checkout pages of a customer who has subscribed were not closed."))
  )
}
