import { expireSession, openSession } from "../books/checkouts.ts"
import {
  renderCharge,
  renderCustomer,
  renderDispute,
  renderInvoice,
  renderInvoicePayment,
  renderLines,
  renderPrice,
  renderRefund,
  renderSession,
  renderSubscription,
  type View
} from "../books/render.ts"
import { cancel } from "../books/subscriptions.ts"
import type { StandInBooks } from "../books/StandInBooks.ts"
import type { Customer, StandInPrice } from "../books/StandInState.ts"
import { ApiRefusal, badParameter, missing } from "./ApiRefusal.ts"
import { type Form, formAt, textAt, textsOf } from "./formBody.ts"
import { pageOf } from "./lists.ts"

/** A request to the interface that imitates Stripe's. */
export interface ApiRequest {
  readonly method: string
  /** The path after the version, for example `checkout/sessions/cs_1`. */
  readonly path: string
  readonly form: Form
  readonly view: View
}

interface Context extends ApiRequest {
  readonly books: StandInBooks
  /** The value of `:id` in the route. */
  readonly id: string
}

type Route = (context: Context) => object

/** Refuses unknown parameters as Stripe does, so that a misspelt parameter is not taken for an absent one. */
const onlyThese = (form: Form, known: ReadonlyArray<string>): void => {
  const strange = Object.keys(form).find((name) => !known.includes(name))
  if (strange !== undefined) throw badParameter(strange, `Received unknown parameter: ${strange}`, "parameter_unknown")
}

const needed = (form: Form, name: string, param = name): string => {
  const value = textAt(form, name)
  if (value === undefined) throw badParameter(param, `Missing required param: ${param}.`, "parameter_missing")
  return value
}

const found = <A>(object: string, kept: Readonly<Record<string, A>>, id: string, param = "id"): A => {
  const item = Object.hasOwn(kept, id) ? kept[id] : undefined
  if (item === undefined) throw missing(object, id, param)
  return item
}

const customerOf = ({ books, form }: Context): Customer =>
  found("customer", books.state.customers, needed(form, "customer"), "customer")

const createCustomer: Route = ({ books, form }) => {
  onlyThese(form, ["email", "metadata", "name"])
  const id = books.newId("cus")
  const metadata = textsOf(formAt(form, "metadata"))
  const customer: Customer = { id, email: textAt(form, "email"), metadata, created: books.now() }
  books.state.customers[id] = customer
  return renderCustomer(customer)
}

const createPortal: Route = (context) => {
  const { books, form } = context
  onlyThese(form, ["customer", "return_url"])
  const customer = customerOf(context)
  const url = new URL(books.pageUrl(`portal/${customer.id}`))
  url.searchParams.set("return_url", needed(form, "return_url"))
  return {
    id: books.newId("bps"),
    object: "billing_portal.session",
    customer: customer.id,
    created: books.now(),
    url: url.href
  }
}

const listPortals: Route = ({ books, form }) => {
  onlyThese(form, ["active", "is_default", "limit"])
  const configuration = {
    id: "bpc_stand_in",
    object: "billing_portal.configuration",
    active: true,
    is_default: true,
    livemode: false,
    features: books.portal
  }
  return { object: "list", url: "/v1/billing_portal/configurations", has_more: false, data: [configuration] }
}

/** Returns the one price and the quantity of a checkout, and checks that the price fits the mode. */
const itemOf = (books: StandInBooks, form: Form, mode: string): { price: StandInPrice; quantity: number } => {
  const items = formAt(form, "line_items")
  if (Object.keys(items).length !== 1) throw badParameter("line_items", "The stand-in sells one thing at a time.")
  const item = formAt(items, "0")
  const param = "line_items[0][price]"
  const id = needed(item, "price", param)
  const price = books.knownPrice(id)
  if (price === undefined) throw missing("price", id, param)
  const quantity = Number(textAt(item, "quantity") ?? 1)
  if (!Number.isInteger(quantity) || quantity < 1) throw badParameter("line_items[0][quantity]", "Invalid quantity.")
  if ((price.every === undefined) !== (mode === "payment")) {
    throw badParameter("mode", "You must provide prices that fit the mode of the session.")
  }
  return { price, quantity }
}

const SESSION_PARAMETERS = [
  "cancel_url",
  "client_reference_id",
  "customer",
  "invoice_creation",
  "line_items",
  "metadata",
  "mode",
  "payment_intent_data",
  "subscription_data",
  "success_url"
]

const createSession: Route = (context) => {
  const { books, form, view } = context
  onlyThese(form, SESSION_PARAMETERS)
  const mode = needed(form, "mode")
  if (mode !== "payment" && mode !== "subscription") throw badParameter("mode", "The stand-in has no such mode.")
  const other = mode === "payment" ? "subscription_data" : "payment_intent_data"
  if (form[other] !== undefined) throw badParameter(other, `You can not pass ${other} in ${mode} mode.`)
  if (mode === "subscription" && form["invoice_creation"] !== undefined) {
    throw badParameter("invoice_creation", "You can only enable invoice creation when `mode` is set to `payment`.")
  }
  const inner = formAt(form, mode === "payment" ? "payment_intent_data" : "subscription_data")
  const { price, quantity } = itemOf(books, form, mode)
  const session = openSession(books, {
    mode,
    customer: customerOf(context).id,
    price: price.id,
    quantity,
    reference: textAt(form, "client_reference_id"),
    metadata: textsOf(formAt(form, "metadata")),
    innerMetadata: textsOf(formAt(inner, "metadata")),
    isInvoiced: textAt(formAt(form, "invoice_creation"), "enabled") === "true",
    successUrl: needed(form, "success_url"),
    cancelUrl: needed(form, "cancel_url")
  })
  return renderSession(session, view)
}

/** True if a request asks that an object replaces its id in the response. */
const expands = (form: Form, path: string): boolean => Object.values(textsOf(formAt(form, "expand"))).includes(path)

const listSessions: Route = ({ books, form, view }) => {
  onlyThese(form, ["created", "customer", "expand", "limit", "starting_after", "status"])
  const isExpanded = expands(form, "data.line_items")
  const [status, customer] = [textAt(form, "status"), textAt(form, "customer")]
  const sessions = Object.values(books.state.sessions).filter(
    (session) =>
      (status === undefined || session.status === status) && (customer === undefined || session.customer === customer)
  )
  return pageOf("/v1/checkout/sessions", sessions, form, (session) => renderSession(session, view, isExpanded))
}

/** Closes a checkout page. As at Stripe, a page that is closed or paid cannot be closed. */
const closeSession: Route = ({ books, id, view }) => {
  const session = found("checkout.session", books.state.sessions, id)
  if (session.status !== "open") {
    throw badParameter("session", `This Session's status is ${session.status}: only open ones can be expired.`)
  }
  expireSession(books, session)
  return renderSession(session, view)
}

const listInvoices: Route = (context) => {
  const { books, form, view } = context
  onlyThese(form, ["created", "customer", "limit", "starting_after", "status"])
  const customer = textAt(form, "customer") === undefined ? undefined : customerOf(context).id
  const status = textAt(form, "status")
  const invoices = Object.values(books.state.invoices).filter(
    (invoice) =>
      (customer === undefined || invoice.customer === customer) && (status === undefined || invoice.status === status)
  )
  return pageOf("/v1/invoices", invoices, form, (invoice) => renderInvoice(invoice, view))
}

const listEvents: Route = ({ books, form }) => {
  onlyThese(form, ["created", "limit", "starting_after", "types"])
  const kinds = Object.values(textsOf(formAt(form, "types")))
  if (kinds.length > 20) throw badParameter("types", "At most twenty types.")
  const events = books.state.events.filter(({ kind }) => kinds.length === 0 || kinds.includes(kind))
  return pageOf("/v1/events", events, form, ({ text }) => JSON.parse(text) as unknown)
}

const listInvoicePayments: Route = ({ books, form, view }) => {
  onlyThese(form, ["expand", "limit", "payment", "starting_after"])
  const isExpanded = expands(form, "data.invoice")
  const payment = needed(formAt(form, "payment"), "payment_intent", "payment[payment_intent]")
  const paid = Object.values(books.state.invoices).filter((invoice) => invoice.payment === payment)
  return pageOf("/v1/invoice_payments", paid, form, (invoice) => renderInvoicePayment(invoice, view, isExpanded))
}

/** Lists the charges of all payments. */
const listCharges: Route = ({ books, form, view }) => {
  onlyThese(form, ["created", "limit", "starting_after"])
  const charges = Object.values(books.state.payments).map((payment) => ({ ...payment, id: payment.charge, payment }))
  return pageOf("/v1/charges", charges, form, ({ payment }) => renderCharge(payment, view))
}

const listRefunds: Route = ({ books, form, view }) => {
  onlyThese(form, ["created", "limit", "starting_after"])
  return pageOf("/v1/refunds", Object.values(books.state.refunds), form, (refund) => renderRefund(refund, view))
}

const listDisputes: Route = ({ books, form, view }) => {
  onlyThese(form, ["created", "limit", "starting_after"])
  return pageOf("/v1/disputes", Object.values(books.state.disputes), form, (dispute) => renderDispute(dispute, view))
}

/** Lists the subscriptions that have not ended, as Stripe does without a status. */
const listSubscriptions: Route = ({ books, form, view }) => {
  onlyThese(form, ["limit", "starting_after"])
  const live = Object.values(books.state.subscriptions).filter(({ status }) => status !== "canceled")
  return pageOf("/v1/subscriptions", live, form, (subscription) => renderSubscription(subscription, view))
}

/** Ends a subscription at once. As at Stripe, a subscription that has ended is not found. */
const endSubscription: Route = ({ books, id, view }) => {
  const subscription = found("subscription", books.state.subscriptions, id)
  if (subscription.status === "canceled") throw missing("subscription", id, "id")
  cancel(books, id, "now")
  return renderSubscription(subscription, view)
}

const lineList: Route = ({ books, id, view }) => ({
  object: "list",
  url: `/v1/invoices/${id}/lines`,
  has_more: false,
  data: renderLines(found("invoice", books.state.invoices, id), view)
})

const ROUTES: Readonly<Record<string, Route>> = {
  "POST customers": createCustomer,
  "GET customers/:id": ({ books, id }) => renderCustomer(found("customer", books.state.customers, id)),
  "POST billing_portal/sessions": createPortal,
  "GET billing_portal/configurations": listPortals,
  "POST checkout/sessions": createSession,
  "GET checkout/sessions": listSessions,
  "GET checkout/sessions/:id": ({ books, form, id, view }) =>
    renderSession(found("checkout.session", books.state.sessions, id), view, expands(form, "line_items")),
  "POST checkout/sessions/:id/expire": closeSession,
  "GET subscriptions": listSubscriptions,
  "GET refunds": listRefunds,
  "GET disputes": listDisputes,
  "GET charges": listCharges,
  "GET subscriptions/:id": ({ books, id, view }) =>
    renderSubscription(found("subscription", books.state.subscriptions, id), view),
  "DELETE subscriptions/:id": endSubscription,
  "GET invoices": listInvoices,
  "GET invoices/:id": ({ books, id, view }) => renderInvoice(found("invoice", books.state.invoices, id), view),
  "GET invoices/:id/lines": lineList,
  "GET invoice_payments": listInvoicePayments,
  "GET charges/:id": ({ books, id, view }) => {
    const payment = books.paymentOfCharge(id)
    if (payment === undefined) throw missing("charge", id, "id")
    return renderCharge(payment, view)
  },
  "GET prices/:id": ({ books, id }) => {
    const price = books.knownPrice(id)
    if (price === undefined) throw missing("price", id, "id")
    return renderPrice(price)
  },
  "GET events": listEvents
}

/** Answers a request as Stripe does. Throws `ApiRefusal` if Stripe would refuse it. */
export const answerApi = (books: StandInBooks, request: ApiRequest): object => {
  const parts = request.path.split("/").map(decodeURIComponent)
  for (const [name, route] of Object.entries(ROUTES)) {
    const [method, pattern = ""] = name.split(" ")
    const places = pattern.split("/")
    if (method !== request.method || places.length !== parts.length) continue
    if (!places.every((place, index) => place === ":id" || place === parts[index])) continue
    return route({ ...request, books, id: parts[places.indexOf(":id")] ?? "" })
  }
  throw new ApiRefusal(404, "invalid_request_error", "Unrecognized request URL.")
}
