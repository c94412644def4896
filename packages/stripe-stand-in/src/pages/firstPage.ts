import type { StandInBooks } from "../books/StandInBooks.ts"
import { nextRenewal } from "../books/passTime.ts"
import type { Dispute, Payment, StoredEvent } from "../books/StandInState.ts"
import { html, type Html } from "./html.ts"
import type { Page } from "./layout.ts"
import { dateText, money } from "./words.ts"

const EVENTS_SHOWN = 50

const button = (action: string, text: string, fields: Readonly<Record<string, string>> = {}): Html =>
  html`<form method="post" action="${action}">
    ${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
    <button type="submit">${text}</button>
  </form>`

const clockSection = (books: StandInBooks, base: string): Html => {
  const steps = [
    ["1", "A day on"],
    ["7", "A week on"],
    ["31", "31 days on"],
    ["366", "A year on"]
  ] as const
  const renewal = nextRenewal(books)
  return html`<section aria-labelledby="clock">
    <h2 id="clock">Clock</h2>
    <p role="status">It is ${dateText(books.now())} here.</p>
    ${steps.map(([days, text]) => button(`${base}/clock`, text, { days }))}
    ${renewal !== undefined && button(`${base}/clock`, `To the next renewal, ${dateText(renewal)}`, { to: String(renewal) })}
  </section>`
}

const paymentRow = (payment: Payment, dispute: Dispute | undefined, base: string): Html =>
  html`<tr>
    <td>${dateText(payment.created)}</td>
    <td>
      ${money(payment.amount, payment.currency)}${
        payment.refunded > 0 && html`, ${money(payment.refunded, payment.currency)} given back`
      }${dispute !== undefined && html`, dispute ${dispute.status.replace("_", " ")}`}
    </td>
    <td>
      ${
        payment.refunded < payment.amount &&
        html`${button(`${base}/payments/${payment.id}/refund`, "Give half back", { part: "half" })}
        ${button(`${base}/payments/${payment.id}/refund`, "Give all back")}
        ${dispute === undefined && button(`${base}/payments/${payment.id}/dispute`, "Dispute")}`
      }
      ${
        dispute?.status === "needs_response" &&
        html`${button(`${base}/disputes/${dispute.id}/close`, "Dispute won", { outcome: "won" })}
        ${button(`${base}/disputes/${dispute.id}/close`, "Dispute lost", { outcome: "lost" })}`
      }
    </td>
  </tr>`

const eventRow = ({ created, failures, id, isPending, kind }: StoredEvent, base: string): Html =>
  html`<tr>
    <td>${dateText(created)}</td>
    <td>${kind}<br /><code>${id}</code></td>
    <td>${isPending ? (failures === 0 ? "waits" : `not taken, ${failures} times`) : "taken"}</td>
    <td>${button(`${base}/events/${id}/send`, isPending ? "Send" : "Send again")}</td>
  </tr>`

const table = (label: string, heads: ReadonlyArray<string>, rows: ReadonlyArray<Html>): Html =>
  html`<div class="wide" tabindex="0" role="region" aria-label="${label}">
    <table>
      <thead>
        <tr>
          ${heads.map((head) => html`<th scope="col">${head}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`

/** The stand-in's own page: its clock, the payments, and the events. */
export const firstPage = (books: StandInBooks, base: string, isDown: boolean, problem?: string): Page => {
  const { customers, disputes, events, payments } = books.state
  const disputeOf = (id: string) => Object.values(disputes).find(({ payment }) => payment === id)
  const paid = Object.values(payments).toReversed()
  const body = html`
    ${clockSection(books, base)}
    <section aria-labelledby="outage">
      <h2 id="outage">Outage</h2>
      <p role="status">${isDown ? "The stand-in answers no requests." : "The stand-in answers requests."}</p>
      ${button(`${base}/outage`, isDown ? "Bring it back" : "Take it down", { state: isDown ? "up" : "down" })}
    </section>
    <section aria-labelledby="customers">
      <h2 id="customers">Customers</h2>
      ${
        Object.keys(customers).length === 0
          ? html`<p>None yet.</p>`
          : html`<ul>
              ${Object.values(customers).map(
                ({ email, id }) => html`<li><a href="${base}/portal/${id}">${email ?? id}</a></li>`
              )}
            </ul>`
      }
    </section>
    <section aria-labelledby="payments">
      <h2 id="payments">Payments</h2>
      ${
        paid.length === 0
          ? html`<p>None yet.</p>`
          : table(
              "Payments",
              ["Date", "Amount", "To do"],
              paid.map((payment) => paymentRow(payment, disputeOf(payment.id), base))
            )
      }
    </section>
    <section aria-labelledby="events">
      <h2 id="events">Events</h2>
      ${
        events.length === 0
          ? html`<p>None yet.</p>`
          : table(
              "Events",
              ["Date", "What happened", "Delivery", "To do"],
              events
                .slice(-EVENTS_SHOWN)
                .toReversed()
                .map((event) => eventRow(event, base))
            )
      }
    </section>
  `
  return { title: "Stand-in payments", base, body, problem }
}
