import type { CatalogData } from "../../tiers/CatalogData.ts"
import type { CheckoutSession, SoldItem } from "../provider/PaymentEvent.ts"

/** The items bought on a checkout page. */
export const itemsOf = ({ items, priceId }: CheckoutSession): ReadonlyArray<SoldItem> =>
  items ?? (priceId === undefined ? [] : [{ priceId, quantity: 1 }])

/** The credits that items buy, with the first price for credits; undefined if there is none. */
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
