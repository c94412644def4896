import { days } from "../books/calendar.ts"
import { pay } from "../books/checkouts.ts"
import { payInvoice } from "../books/invoices.ts"
import { moveClock } from "../books/passTime.ts"
import { closeDispute, openDispute, refund } from "../books/payments.ts"
import { MEANS, type PayOptions } from "../books/PayOptions.ts"
import { type StandInBooks, StandInRefusal } from "../books/StandInBooks.ts"
import type { Customer } from "../books/StandInState.ts"
import { cancel, changePlan, resume, setCard } from "../books/subscriptions.ts"
import { checkoutPage } from "./checkoutPage.ts"
import { firstPage } from "./firstPage.ts"
import { html, webAddress } from "./html.ts"
import { type Page, pageResponse, STYLE } from "./layout.ts"
import { portalPage } from "./portalPage.ts"
import { dateText, money } from "./words.ts"

/** The data that pages show, and the actions that do more than change the books. */
export interface PageContext {
  readonly books: StandInBooks
  /** The address of the stand-in's pages. */
  readonly base: string
  readonly isDown: () => boolean
  readonly setOutage: (isDown: boolean) => void
  readonly sendEvent: (id: string) => Promise<boolean>
  /** Resolves when the events have been sent to the webhook endpoint, or after a short time. */
  readonly told: () => Promise<void>
}

interface Asked {
  /** The segments of the path. */
  readonly parts: ReadonlyArray<string>
  readonly query: URLSearchParams
  readonly form: URLSearchParams
}

const seeOther = (location: string): Response =>
  new Response(null, { status: 303, headers: { location, "cache-control": "no-store" } })

const customerOf = ({ books }: PageContext, id: string | undefined): Customer => {
  const customer = id !== undefined && Object.hasOwn(books.state.customers, id) ? books.state.customers[id] : undefined
  if (customer === undefined) throw new StandInRefusal("There is no such customer here.")
  return customer
}

const payOptions = (form: URLSearchParams): PayOptions => {
  const trialDays = Math.trunc(Number(form.get("trial") ?? 0))
  return {
    means: MEANS.find((means) => means === form.get("means")) ?? "works",
    isFree: form.get("free") === "yes",
    card: form.get("card") === "fails" ? "fails" : "works",
    trialDays: trialDays > 0 && trialDays <= 90 ? trialDays : 0
  }
}

/** The actions of the portal's buttons on a subscription or an invoice. */
const PORTAL_ACTIONS: Readonly<Record<string, (books: StandInBooks, id: string, form: URLSearchParams) => void>> = {
  cancel: (books, id) => cancel(books, id, "period-end"),
  "cancel-now": (books, id) => cancel(books, id, "now"),
  resume,
  "card-works": (books, id) => setCard(books, id, "works"),
  "card-fails": (books, id) => setCard(books, id, "fails"),
  "change-plan": (books, id, form) => changePlan(books, id, form.get("price") ?? ""),
  "pay-invoice": payInvoice
}

const isOf = ({ books }: PageContext, customer: Customer, id: string): boolean =>
  (books.state.subscriptions[id] ?? books.state.invoices[id])?.customer === customer.id

const invoicePage = ({ base, books }: PageContext, id: string | undefined): Page => {
  const invoice = id === undefined ? undefined : books.state.invoices[id]
  if (invoice === undefined) throw new StandInRefusal("There is no such invoice here.")
  const rows = invoice.lines.map(
    ({ amount, end, price, start }) =>
      html`<li>
        ${books.price(price).name}, ${dateText(start)} to ${dateText(end)}: ${money(amount, invoice.currency)}
      </li>`
  )
  const body = html`<p class="amount">${money(invoice.total, invoice.currency)}</p>
    <p>${dateText(invoice.created)}, ${invoice.status}</p>
    <ul>
      ${rows}
    </ul>`
  return { title: "Invoice", base, body }
}

/** Returns the page for a path; undefined if there is none. */
const show = (context: PageContext, { parts, query }: Asked, problem?: string): Page | undefined => {
  const { base, books, isDown } = context
  const [kind = "", id = ""] = parts
  if (kind === "") return firstPage(books, base, isDown(), problem)
  if (kind === "checkout") return checkoutPage(books, books.session(id), base, problem)
  if (kind === "portal") return portalPage(books, customerOf(context, id), base, query.get("return_url"), problem)
  return kind === "invoices" ? invoicePage(context, id) : undefined
}

const payPage = async (context: PageContext, id: string, form: URLSearchParams): Promise<Response> => {
  const session = pay(context.books, id, payOptions(form))
  await context.told()
  const next = webAddress(session.successUrl.replaceAll("{CHECKOUT_SESSION_ID}", session.id))
  return seeOther(next ?? `${context.base}/checkout/${id}`)
}

const portalAction = async (
  context: PageContext,
  [, customerId, name = ""]: ReadonlyArray<string>,
  form: URLSearchParams
) => {
  const customer = customerOf(context, customerId)
  const act = Object.hasOwn(PORTAL_ACTIONS, name) ? PORTAL_ACTIONS[name] : undefined
  const id = form.get("id") ?? ""
  if (act === undefined || !isOf(context, customer, id)) throw new StandInRefusal("There is nothing to do that to.")
  act(context.books, id, form)
  await context.told()
  const back = webAddress(form.get("return_url"))
  const query = back === undefined ? "" : `?${new URLSearchParams({ return_url: back })}`
  return seeOther(`${context.base}/portal/${customer.id}${query}`)
}

/** Carries out the actions of the buttons on the first page. */
const act = async (
  { books, sendEvent, setOutage }: PageContext,
  parts: ReadonlyArray<string>,
  form: URLSearchParams
) => {
  const [kind, id = "", name] = parts
  switch (name === undefined ? kind : `${kind}/${name}`) {
    case "clock": {
      const to = form.has("to") ? Number(form.get("to")) : books.now() + days(Number(form.get("days")))
      return moveClock(books, to * 1000)
    }
    case "outage":
      return setOutage(form.get("state") === "down")
    case "payments/refund": {
      const { amount, refunded } = books.payment(id)
      refund(books, id, form.get("part") === "half" ? Math.ceil((amount - refunded) / 2) : undefined)
      return
    }
    case "payments/dispute":
      openDispute(books, id)
      return
    case "disputes/close":
      closeDispute(books, id, form.get("outcome") === "won" ? "won" : "lost")
      return
    case "events/send":
      if (!(await sendEvent(id))) throw new StandInRefusal("The webhook did not take the event.")
      return
    default:
      throw new StandInRefusal("There is nothing to do here.")
  }
}

const perform = async (context: PageContext, { form, parts }: Asked): Promise<Response> => {
  const [kind, id = "", name] = parts
  if (kind === "checkout" && name === "pay") return payPage(context, id, form)
  if (kind === "portal") return portalAction(context, parts, form)
  await act(context, parts, form)
  await context.told()
  return seeOther(`${context.base}/`)
}

const notFound = (base: string, problem = "There is no such page."): Response =>
  pageResponse({ title: "Not found", base, problem, status: 404, body: html`<p>Go back and try again.</p>` })

/** Returns the page on which an action was requested, with the reason why it was refused. */
const refused = (context: PageContext, asked: Asked, { message }: StandInRefusal): Response => {
  const [kind = ""] = asked.parts
  const query = new URLSearchParams({ return_url: asked.form.get("return_url") ?? "" })
  const parts = kind === "checkout" || kind === "portal" ? asked.parts : []
  try {
    const page = show(context, { ...asked, parts, query }, message)
    if (page !== undefined) return pageResponse({ ...page, status: 409 })
  } catch (error) {
    if (!(error instanceof StandInRefusal)) throw error
  }
  return notFound(context.base, message)
}

/** Answers a request of a browser. `path` is relative to the stand-in's address. */
export const answerPage = async (context: PageContext, request: Request, path: string): Promise<Response> => {
  if (path === "style.css") return new Response(STYLE, { headers: { "content-type": "text/css" } })
  const isPost = request.method === "POST"
  const asked: Asked = {
    parts: path.split("/"),
    query: new URL(request.url).searchParams,
    form: new URLSearchParams(isPost ? await request.text() : "")
  }
  try {
    if (isPost) return await perform(context, asked)
    const page = show(context, asked)
    return page === undefined ? notFound(context.base) : pageResponse(page)
  } catch (error) {
    if (!(error instanceof StandInRefusal)) throw error
    return isPost ? refused(context, asked, error) : notFound(context.base, error.message)
  }
}
