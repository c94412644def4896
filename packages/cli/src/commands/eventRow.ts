import type { StoredPaymentEvent } from "@parley/core/adapter"

/** An event as commands print it. */
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
