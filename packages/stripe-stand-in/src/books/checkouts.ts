import { days } from "./calendar.ts"
import { invoiceOfSale } from "./invoices.ts"
import { takePayment } from "./payments.ts"
import { type StandInBooks, StandInRefusal } from "./StandInBooks.ts"
import type { PayOptions } from "./PayOptions.ts"
import type { Metadata, Session } from "./StandInState.ts"
import { beginSubscription } from "./subscriptions.ts"

export interface NewSession {
  readonly mode: Session["mode"]
  readonly customer: string
  readonly price: string
  readonly quantity: number
  readonly reference: string | undefined
  readonly metadata: Metadata
  readonly innerMetadata: Metadata
  readonly isInvoiced: boolean
  readonly successUrl: string
  readonly cancelUrl: string
}

const TRANSFER_DAYS = 3

export const openSession = (books: StandInBooks, input: NewSession): Session => {
  const id = books.newId("cs_test")
  const session: Session = {
    ...input,
    id,
    created: books.now(),
    status: "open",
    paymentStatus: "unpaid",
    total: books.price(input.price).amount * input.quantity
  }
  books.state.sessions[id] = session
  return session
}

/** Carries out a purchase after its payment has arrived, or if there was nothing to pay. */
const fulfil = (books: StandInBooks, session: Session, options: PayOptions): void => {
  if (session.mode === "subscription") {
    const subscription = beginSubscription(books, session, options)
    session.subscription = subscription.id
    session.paymentStatus = session.total === 0 ? "no_payment_required" : "paid"
    return
  }
  session.paymentStatus = session.total === 0 ? "no_payment_required" : "paid"
  if (session.total > 0) {
    const { currency } = books.price(session.price)
    const { customer, innerMetadata, total } = session
    session.payment = takePayment(books, { customer, metadata: innerMetadata, amount: total, currency }).id
  }
  if (session.isInvoiced) invoiceOfSale(books, session)
}

/**
 * Completes a checkout page as a person does. Throws `StandInRefusal` if the page is complete or expired, or if the
 * card is declined.
 */
export const pay = (books: StandInBooks, id: string, options: PayOptions = {}): Session => {
  const session = books.session(id)
  const { isFree = false, means = "works", trialDays = 0 } = options
  if (session.status !== "open") throw new StandInRefusal("This checkout page is closed.")
  if (means === "declined") throw new StandInRefusal("The card was declined. Try another one.")
  if (isFree || (session.mode === "subscription" && trialDays > 0)) session.total = 0
  session.status = "complete"
  if (means === "works" || session.total === 0) fulfil(books, session, options)
  else session.arrival = { at: books.now() + days(TRANSFER_DAYS), succeeds: means === "later" }
  books.emit("checkout.session.completed", { session })
  return session
}

/** Carries out the success or the failure of a delayed payment. */
export const settleArrival = (books: StandInBooks, session: Session): void => {
  const succeeds = session.arrival?.succeeds === true
  delete session.arrival
  if (succeeds) fulfil(books, session, {})
  books.emit(`checkout.session.async_payment_${succeeds ? "succeeded" : "failed"}`, { session })
}

/** Expires a checkout page that was not completed within a day. */
export const expireSession = (books: StandInBooks, session: Session): void => {
  session.status = "expired"
  books.emit("checkout.session.expired", { session })
}
