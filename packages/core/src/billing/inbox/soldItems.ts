import type { CatalogData } from "../../tiers/CatalogData.ts"
import type { CheckoutSession, SoldItem } from "../provider/PaymentEvent.ts"

/** The items that were bought on a checkout page. */
export const itemsOf = ({ items, priceId }: CheckoutSession): ReadonlyArray<SoldItem> =>
  items ?? (priceId === undefined ? [] : [{ priceId, quantity: 1 }])

/** The credits that the items buy, and the first price for credits; undefined if no item buys credits. */
export const creditsOfItems = (
  { prices }: CatalogData,
  items: ReadonlyArray<SoldItem>
): { readonly priceId: string; readonly credits: number } | undefined => {
  const sold = items.flatMap(({ priceId, quantity }) => {
    const bought = Object.hasOwn(prices, priceId) ? prices[priceId] : undefined
    return bought !== undefined && "topup" in bought ? [{ priceId, credits: bought.topup * quantity }] : []
  })
  const credits = sold.reduce((sum, one) => sum + one.credits, 0)
  const [first] = sold
  return first === undefined || credits === 0 ? undefined : { priceId: first.priceId, credits }
}
