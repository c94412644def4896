import { queryOptions } from "@tanstack/react-query"
import { parley } from "./parley.ts"

export const subscriptionQuery = queryOptions({
  queryKey: ["subscription"],
  queryFn: ({ signal }) => parley.billing.subscription({ signal })
})

export const invoicesQuery = (customerId: string) =>
  queryOptions({
    queryKey: ["invoices", customerId],
    queryFn: async ({ signal }) => (await parley.call("listInvoices", { query: { customerId } }, { signal })).invoices
  })

/** The number of the person's purchases of credits. */
export const readPurchases = async (signal?: AbortSignal): Promise<number> =>
  (await parley.billing.history({ type: "topup", limit: 1 }, { signal })).total

/** The provider's page for plan, means of payment and invoices. */
export const openPortal = async (returnTo: string): Promise<string> => (await parley.billing.portal({ returnTo })).url
