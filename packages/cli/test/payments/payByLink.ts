import type { StandInPayments } from "@parley/stripe-stand-in"

const PAGE = "http://127.0.0.1/"

/** Pays as a customer does by a payment link of the operator: the session has no metadata. */
export const payByLink = async (
  provider: StandInPayments,
  customer: string,
  price: string,
  quantity = 1
): Promise<void> => {
  const form = new URLSearchParams({
    customer,
    mode: price.startsWith("price_credits") ? "payment" : "subscription",
    "line_items[0][price]": price,
    "line_items[0][quantity]": String(quantity),
    success_url: PAGE,
    cancel_url: PAGE
  })
  const response = await provider.fetch(`${provider.base}/v1/checkout/sessions`, {
    method: "POST",
    body: form,
    headers: { authorization: `Bearer ${provider.apiKey}`, "content-type": "application/x-www-form-urlencoded" }
  })
  provider.pay(((await response.json()) as { readonly id: string }).id)
}
