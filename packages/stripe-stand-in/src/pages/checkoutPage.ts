import type { StandInBooks } from "../books/StandInBooks.ts"
import type { Session } from "../books/StandInState.ts"
import { html, webAddress } from "./html.ts"
import type { Page } from "./layout.ts"
import { priceText } from "./words.ts"

const MEANS_TEXTS = [
  ["works", "A card that works"],
  ["declined", "A card that is declined"],
  ["later", "A transfer that arrives after three days"],
  ["later-fails", "A transfer that never arrives"]
] as const

/** The page where a person pays. */
export const checkoutPage = (books: StandInBooks, session: Session, base: string, problem?: string): Page => {
  const price = books.price(session.price)
  const isSubscription = session.mode === "subscription"
  const back = webAddress(session.cancelUrl)
  if (session.status !== "open") {
    const body = html`<p>This page is closed. ${back !== undefined && html`<a href="${back}">Go back</a>`}</p>`
    return { title: "Checkout", base, body, problem }
  }
  const body = html`
    <h2>${isSubscription ? "Subscribe to" : "Buy"} ${price.name}</h2>
    <p class="amount">${priceText(price)}</p>
    <form class="page" method="post" action="${base}/checkout/${session.id}/pay">
      <fieldset>
        <legend>Pay with</legend>
        ${MEANS_TEXTS.map(
          ([means, text], index) =>
            html`<label>
              <input type="radio" name="means" value="${means}" ${index === 0 ? "checked" : ""} /> ${text}
            </label>`
        )}
      </fieldset>
      <fieldset>
        <legend>For trying out</legend>
        <label><input type="checkbox" name="free" value="yes" /> A coupon of 100 %</label>
        ${
          isSubscription &&
          html`<label><input type="checkbox" name="card" value="fails" /> The card is declined at renewals</label>
            <label>Days for nothing first <input type="number" name="trial" value="0" min="0" max="90" /></label>`
        }
      </fieldset>
      <button class="main" type="submit">${isSubscription ? "Subscribe" : "Pay"}</button>
      ${back !== undefined && html`<a href="${back}">Cancel</a>`}
    </form>
  `
  return { title: "Checkout", base, body, problem, leadsTo: [session.successUrl] }
}
