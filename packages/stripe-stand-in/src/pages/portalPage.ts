import type { StandInBooks } from "../books/StandInBooks.ts"
import type { Customer, Invoice, Subscription } from "../books/StandInState.ts"
import { html, type Html, webAddress } from "./html.ts"
import type { Page } from "./layout.ts"
import { dateText, money, priceText } from "./words.ts"

interface Portal {
  readonly books: StandInBooks
  readonly customer: Customer
  readonly base: string
  /** The page from which the person came. */
  readonly back: string | undefined
}

/** Returns a button that carries out one action and returns to this page. */
const action = ({ back, base, customer }: Portal, name: string, id: string, text: string): Html =>
  html`<form method="post" action="${base}/portal/${customer.id}/${name}">
    <input type="hidden" name="id" value="${id}" />
    <input type="hidden" name="return_url" value="${back ?? ""}" />
    <button type="submit">${text}</button>
  </form>`

const statusText = ({ cancelAtPeriodEnd, endedAt, periodEnd, status }: Subscription): string => {
  if (status === "canceled") return `Ended on ${dateText(endedAt ?? periodEnd)}.`
  const next = cancelAtPeriodEnd ? `Ends on ${dateText(periodEnd)}.` : `Renews on ${dateText(periodEnd)}.`
  if (status === "past_due") return `The last payment failed and is tried again. ${next}`
  return status === "trialing" ? `For nothing until ${dateText(periodEnd)}.` : next
}

const planForm = (portal: Portal, subscription: Subscription): Html | false => {
  const { back, base, books, customer } = portal
  const present = books.price(subscription.price)
  const others = books
    .prices()
    .filter(({ currency, every, id }) => every !== undefined && id !== present.id && currency === present.currency)
  if (others.length === 0) return false
  return html`<form method="post" action="${base}/portal/${customer.id}/change-plan">
    <input type="hidden" name="id" value="${subscription.id}" />
    <input type="hidden" name="return_url" value="${back ?? ""}" />
    <label>
      Another plan
      <select name="price">
        ${others.map((price) => html`<option value="${price.id}">${price.name}, ${priceText(price)}</option>`)}
      </select>
    </label>
    <button type="submit">Change plan</button>
  </form>`
}

const subscriptionSection = (portal: Portal, subscription: Subscription): Html => {
  const price = portal.books.price(subscription.price)
  const act = (name: string, text: string) => action(portal, name, subscription.id, text)
  const isRunning = subscription.status !== "canceled"
  return html`<section aria-label="${price.name}">
    <h3>${price.name}</h3>
    <p><span class="amount">${priceText(price)}</span></p>
    <p role="status">${statusText(subscription)}</p>
    ${isRunning && planForm(portal, subscription)}
    ${
      isRunning &&
      html`${subscription.cancelAtPeriodEnd ? act("resume", "Keep the plan") : act("cancel", "Cancel the plan")}
      ${act("cancel-now", "End it at once")}
      ${
        subscription.card === "works"
          ? act("card-fails", "Take a card that will be declined")
          : act("card-works", "Take a card that works")
      }`
    }
  </section>`
}

const invoiceRow = (portal: Portal, invoice: Invoice): Html =>
  html`<tr>
    <td>${dateText(invoice.created)}</td>
    <td>${money(invoice.total, invoice.currency)}</td>
    <td>${invoice.status}</td>
    <td>${invoice.status === "open" && action(portal, "pay-invoice", invoice.id, "Pay now")}</td>
  </tr>`

/** The page where customers manage their subscriptions. */
export const portalPage = (
  books: StandInBooks,
  customer: Customer,
  base: string,
  returnUrl: string | null,
  problem?: string
): Page => {
  const back = webAddress(returnUrl)
  const portal: Portal = { books, customer, base, back }
  const of = <A extends { readonly customer: string; readonly created: number }>(kept: Readonly<Record<string, A>>) =>
    Object.values(kept)
      .filter((item) => item.customer === customer.id)
      .toReversed()
  const [subscriptions, invoices] = [of(books.state.subscriptions), of(books.state.invoices)]
  const body = html`
    ${back !== undefined && html`<p><a href="${back}">Back</a></p>`}
    <p>${customer.email ?? customer.id}</p>
    <h2>Plans</h2>
    ${
      subscriptions.length === 0
        ? html`<p>No plan yet.</p>`
        : subscriptions.map((subscription) => subscriptionSection(portal, subscription))
    }
    <h2>Invoices</h2>
    ${
      invoices.length === 0
        ? html`<p>No invoices yet.</p>`
        : html`<div class="wide" tabindex="0" role="region" aria-label="Invoices">
            <table>
              <thead>
                <tr>
                  <th scope="col">Date</th>
                  <th scope="col">Total</th>
                  <th scope="col">State</th>
                  <th scope="col">To do</th>
                </tr>
              </thead>
              <tbody>
                ${invoices.map((invoice) => invoiceRow(portal, invoice))}
              </tbody>
            </table>
          </div>`
    }
  `
  return { title: "Your plan", base, body, problem }
}
