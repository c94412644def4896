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

/** Reads the number of credit purchases that the person has made. */
export const readPurchases = async (signal?: AbortSignal): Promise<number> =>
  (await parley.billing.history({ type: "topup", limit: 1 }, { signal })).total

/** Returns the address of the provider's page for managing the plan, the means of payment and the invoices. */
export const openPortal = async (returnTo: string): Promise<string> => (await parley.billing.portal({ returnTo })).url
