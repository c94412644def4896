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
  /** Returns the payment provider's page for a purchase: send the browser to its `url`. */
  checkout(body: Checkout, options?: CallOptions): Promise<PaymentPage>
  /** Returns the payment provider's page for managing the plan, the means of payment and the invoices. */
  portal(query?: Operations["openPortal"]["query"], options?: CallOptions): Promise<PaymentPage>
  /** Returns the invoices of the signed-in person; empty if the person has never paid. */
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
