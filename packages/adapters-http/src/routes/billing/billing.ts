import type { AccountNotFound, StorageFailed } from "@parley/core/adapter"
import { BillingService, CreditService } from "@parley/core/effect"
import type { Balance, HistoryPage } from "@parley/core"
import { Effect, Schema } from "effect"
import { sessionAccess } from "../../access/personAccess.ts"
import { json } from "../../exchange/Exchange.ts"
import { pageParameters, requiredTextParameter, textParameter } from "../parameters.ts"
import { hostParameter, returnAddress, returnToParameter } from "./returnAddress.ts"
import { decimal, listOf, moment, named, orNull, pageFields, text, whole } from "../fields.ts"
import { defineRoute } from "../Route.ts"
import { transactionRow, TransactionRow } from "./transactionRow.ts"

/** The failures of routes that call the payment provider. */
export const PROVIDER_ERRORS = [
  "storage_unavailable",
  "payments_not_configured",
  "payment_provider_unavailable",
  "payment_provider_refused"
] as const

export const BalanceBody = named("Balance", "The credits of a person, in whole credits.", {
  allowance: whole("Rest of the credits of the tier for this period; spent first, not carried over."),
  topup: whole("Rest of the credits that were bought or granted; they never expire."),
  held: whole("Credits that running work has set aside."),
  debt: whole("Credits that were spent or refunded beyond the balance; the next credits repay them."),
  available: whole("Credits that can be spent now: `allowance + topup - held`."),
  nextResetAt: moment("When the next period begins and the allowance is renewed.")
}).annotate({
  examples: [{ allowance: 80, topup: 500, held: 4, debt: 0, available: 576, nextResetAt: "2026-12-31T09:00:00.000Z" }]
})

/** The balance in the form of the response. */
export const balanceBody = ({ nextResetAt, ...credits }: Balance): typeof BalanceBody.Type => ({
  ...credits,
  nextResetAt: new Date(nextResetAt).toISOString()
})

export const HistoryBody = named("TransactionList", "A page of credit transactions.", {
  transactions: listOf(TransactionRow, "The transactions, newest first."),
  ...pageFields("transactions")
})

/** The query parameters of routes that return a history. */
export const historyParameters = {
  ...pageParameters,
  type: textParameter("Only transactions of this type; an unknown type returns an empty list.")
}

/** A page of a history in the form of the response. */
export const historyBody = (
  { total, transactions }: HistoryPage,
  { limit, offset }: { readonly limit: number; readonly offset: number }
): typeof HistoryBody.Type => ({ transactions: transactions.map(transactionRow), total, limit, offset })

/** A person's balance. */
export const getBalance = defineRoute({
  method: "GET",
  path: "/api/billing/balance",
  summary: "Returns your credits",
  access: sessionAccess,
  responses: { 200: { description: "The balance, in whole credits.", schema: BalanceBody } },
  errors: ["unauthorized", "storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ caller }) {
    const credits = yield* CreditService
    return json(200, balanceBody(yield* credits.balance(caller.userId)))
  })
})

/** The history of a person's balance. */
export const getCreditHistory = defineRoute({
  method: "GET",
  path: "/api/billing/credit-history",
  summary: "Lists your credit transactions, newest first",
  access: sessionAccess,
  queryParameters: historyParameters,
  responses: { 200: { description: "The transactions.", schema: HistoryBody } },
  errors: ["unauthorized", "storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ caller, query }) {
    const credits = yield* CreditService
    const { userId } = caller
    const history: Effect.Effect<HistoryPage, AccountNotFound | StorageFailed> = credits.history({ userId, ...query })
    // A person's first request opens the account, on any route.
    const openAndRead = Effect.andThen(credits.balance(userId), history)
    const page = yield* history.pipe(
      Effect.catchTag("AccountNotFound", () => openAndRead),
      Effect.catchTag("AccountNotFound", Effect.die)
    )
    return json(200, historyBody(page, query))
  })
})

/** The largest number of invoices in a response. */
const MAX_INVOICES = 100

const InvoiceBody = named("Invoice", "An invoice of the payment provider.", {
  id: text("The invoice's id at the payment provider."),
  amount: decimal("The total in major units of the currency: 12.5; yen without decimals."),
  currency: text("The currency in lower case, as `eur`."),
  status: orNull(Schema.String, "The provider's state of the invoice, as `paid` or `open`; null if it has none."),
  date: moment("When the invoice was created."),
  invoiceUrl: orNull(Schema.String, "The page of the invoice; null if there is none."),
  description: orNull(Schema.String, "The subject of the invoice; null if it has none.")
})

const InvoicesBody = named("InvoiceList", "The invoices of a person.", {
  invoices: listOf(InvoiceBody, "The invoices, newest first.")
})

/** A page of the payment provider. */
export const PaymentPageBody = named("PaymentPage", "A page of the payment provider.", {
  url: text("The address to which the browser is led.")
})

/** Returns the address of the provider's page on which a person manages the plan and the means of payment. */
export const postPortal = defineRoute({
  method: "POST",
  path: "/api/billing/portal",
  summary: "Opens the payment provider's page for your plan, means of payment and invoices",
  access: sessionAccess,
  queryParameters: { returnTo: returnToParameter },
  headerParameters: { host: hostParameter },
  responses: { 200: { description: "The page to open.", schema: PaymentPageBody } },
  errors: PROVIDER_ERRORS,
  handle: Effect.fnUntraced(function* ({ caller: { email, userId }, context, headers: { host }, query }) {
    const { href: returnUrl } = yield* returnAddress(context, query.returnTo, host)
    const { url } = yield* BillingService.use((billing) => billing.portal({ userId, email, returnUrl }))
    return json(200, { url })
  })
})

/** A person's invoices. */
export const getInvoices = defineRoute({
  method: "GET",
  path: "/api/billing/invoices",
  summary: "Lists your invoices, newest first",
  access: sessionAccess,
  queryParameters: { customerId: requiredTextParameter("Your customer id at the payment provider.") },
  responses: { 200: { description: "The invoices, at most a hundred.", schema: InvoicesBody } },
  errors: [...PROVIDER_ERRORS, "customer_not_found"],
  handle: Effect.fnUntraced(function* ({ caller: { userId }, query: { customerId } }) {
    const found = yield* BillingService.use((billing) => billing.invoices({ userId, customerId, limit: MAX_INVOICES }))
    const body: typeof InvoicesBody.Type = {
      invoices: found.map(({ amount, createdAt, currency, description, id, invoiceUrl, status }) => ({
        id,
        amount,
        currency,
        status: status ?? null,
        date: new Date(createdAt).toISOString(),
        invoiceUrl: invoiceUrl ?? null,
        description: description ?? null
      }))
    }
    return json(200, body)
  })
})
