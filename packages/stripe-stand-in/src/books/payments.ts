import { type StandInBooks, StandInRefusal } from "./StandInBooks.ts"
import type { Dispute, Payment, Refund } from "./StandInState.ts"

/** Creates a successful payment. */
export const takePayment = (
  books: StandInBooks,
  input: Pick<Payment, "customer" | "metadata" | "amount" | "currency">
): Payment => {
  const id = books.newId("pi")
  const payment: Payment = { ...input, id, charge: books.newId("ch"), created: books.now(), refunded: 0 }
  books.state.payments[id] = payment
  books.emit("charge.succeeded", { charge: payment })
  books.emit("payment_intent.succeeded", { payment })
  return payment
}

/** Refunds an amount in minor units, or the remaining amount if none is given. */
export const refund = (books: StandInBooks, paymentId: string, amount?: number): Refund => {
  const payment = books.payment(paymentId)
  const left = payment.amount - payment.refunded
  const given = amount ?? left
  if (!Number.isSafeInteger(given) || given <= 0 || given > left) {
    throw new StandInRefusal(`Of this payment ${left} can be given back.`)
  }
  payment.refunded += given
  const made: Refund = { id: books.newId("re"), payment: paymentId, amount: given, created: books.now() }
  books.state.refunds[made.id] = made
  books.emit("charge.refunded", { charge: payment })
  books.emit("refund.created", { refund: made })
  return made
}

/** Opens a dispute: the customer's bank takes a payment back. */
export const openDispute = (books: StandInBooks, paymentId: string): Dispute => {
  const { amount, refunded } = books.payment(paymentId)
  const disputed = amount - refunded
  if (disputed === 0) throw new StandInRefusal("This payment was given back already.")
  if (Object.values(books.state.disputes).some(({ payment }) => payment === paymentId)) {
    throw new StandInRefusal("This payment is disputed already.")
  }
  const dispute: Dispute = {
    id: books.newId("dp"),
    payment: paymentId,
    amount: disputed,
    created: books.now(),
    status: "needs_response",
    moves: [-disputed]
  }
  books.state.disputes[dispute.id] = dispute
  books.emit("charge.dispute.created", { dispute })
  books.emit("charge.dispute.funds_withdrawn", { dispute })
  return dispute
}

/** Closes a dispute with the bank's decision. If it is won, the money returns. */
export const closeDispute = (books: StandInBooks, id: string, outcome: "won" | "lost"): Dispute => {
  const dispute = books.state.disputes[id]
  if (dispute === undefined || dispute.status !== "needs_response") {
    throw new StandInRefusal("There is no open dispute to decide.")
  }
  dispute.status = outcome
  if (outcome === "won") dispute.moves = [...dispute.moves, dispute.amount]
  books.emit("charge.dispute.closed", { dispute })
  if (outcome === "won") books.emit("charge.dispute.funds_reinstated", { dispute })
  return dispute
}
