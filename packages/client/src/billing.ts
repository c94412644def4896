import type {
  Balance,
  Checkout,
  Invoice,
  Operations,
  PaymentPage,
  Plans,
  SubscriptionState,
  TransactionList
} from "./api.ts"
import type { CallOptions, Connection } from "./Connection.ts"

export interface BillingCalls {
  balance(options?: CallOptions): Promise<Balance>
  /** The credit transactions, newest first. */
  history(query?: Operations["listTransactions"]["query"], options?: CallOptions): Promise<TransactionList>
  plans(options?: CallOptions): Promise<Plans>
  subscription(options?: CallOptions): Promise<SubscriptionState>
  /** The page of the payment provider for a purchase: lead the browser to its `url`. */
  checkout(body: Checkout, options?: CallOptions): Promise<PaymentPage>
  /** The page of the payment provider for plan, means of payment and invoices. */
  portal(query?: Operations["openPortal"]["query"], options?: CallOptions): Promise<PaymentPage>
  /** The invoices of the signed-in person; empty for a person who never paid. */
  invoices(options?: CallOptions): Promise<ReadonlyArray<Invoice>>
}

export const billingCalls = (connection: Connection): BillingCalls => {
  const subscription: BillingCalls["subscription"] = (options) => connection.call("getSubscription", {}, options)
  return {
    subscription,
    balance: (options) => connection.call("getBalance", {}, options),
    history: (query = {}, options) => connection.call("listTransactions", { query }, options),
    plans: (options) => connection.call("getPlans", {}, options),
    checkout: (body, options) => connection.call("createCheckout", { body }, options),
    portal: (query = {}, options) => connection.call("openPortal", { query }, options),
    invoices: async (options) => {
      const { customerId } = await subscription(options)
      if (customerId === null) return []
      return (await connection.call("listInvoices", { query: { customerId } }, options)).invoices
    }
  }
}
