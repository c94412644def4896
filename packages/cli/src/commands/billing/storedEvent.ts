import { Schema } from "effect"
import { Argument } from "effect/cli"
import type { StoredPaymentEvent } from "@parley/core/adapter"

/** The argument with the id of a payment event. */
export const eventArgument = Argument.String("event").pipe(
  Argument.withDescription("The event's id at the payment provider, for example evt_1AbC"),
  Argument.withSchema(Schema.String.check(Schema.isPattern(/^[\x21-\x7e]{1,255}$/)))
)

/** A payment event in the form in which commands print it. */
export const eventRow = ({
  createdAt,
  customerId,
  id,
  kind,
  note,
  payment,
  receivedAt,
  state,
  userId
}: StoredPaymentEvent) => ({
  id,
  kind,
  state,
  note,
  user: userId ?? null,
  customer: customerId ?? null,
  payment: payment ?? null,
  createdAt: new Date(createdAt).toISOString(),
  receivedAt: new Date(receivedAt).toISOString()
})
