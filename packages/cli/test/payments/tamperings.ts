import type { StandInState } from "@parley/stripe-stand-in"
import type { ComparedShop } from "./ComparedShop.ts"

/** One change of a stored row or of an object of the provider. */
export interface Tampering {
  readonly name: string
  /** `pick` chooses the row or the object. Returns it as it was before; undefined if there is none, or no change is possible. */
  readonly tamper: (shop: ComparedShop, pick: number) => Promise<string | undefined>
}

const chosen = <A>(all: ReadonlyArray<A>, pick: number): A | undefined => all[pick % Math.max(1, all.length)]

/** Changes one row as a superuser, without triggers. `pick` chooses among the rows that fit; the statement names it by `at`. */
const onRow = (table: string, what: string, statement: string, where = "true"): Tampering => ({
  name: `${table}: ${what}`,
  tamper: async (shop, pick) => {
    const rows = await shop.query<{ at: string; row: unknown }>(
      `SELECT t.ctid::text AS at, to_json(t) AS row FROM ${shop.schema}.${table} t
       WHERE ${where.replaceAll("{schema}", shop.schema)} ORDER BY t::text`
    )
    const row = chosen(rows, pick)
    if (row === undefined) return undefined
    const changing = shop.query(`DO $do$ BEGIN
      SET LOCAL session_replication_role = replica;
      ${statement.replaceAll("{table}", `${shop.schema}.${table}`).replaceAll("{at}", `'${row.at}'`)};
    END $do$`)
    const isChanged = await changing.then(
      () => true,
      (error: unknown) => {
        // A constraint of the table does not allow the change.
        if (String((error as { readonly sqlState?: string }).sqlState).startsWith("23")) return false
        throw error
      }
    )
    if (!isChanged) return undefined
    return JSON.stringify(row.row)
  }
})

const changes = (table: string, columns: Readonly<Record<string, string>>, where?: string): ReadonlyArray<Tampering> =>
  Object.entries(columns).map(([column, value]) =>
    onRow(table, `${column} is changed`, `UPDATE {table} SET ${column} = ${value} WHERE ctid = {at}`, where)
  )

const deleted = (table: string, where?: string): Tampering =>
  onRow(table, "a row is deleted", "DELETE FROM {table} WHERE ctid = {at}", where)

/** A copy of a row with another key. */
const added = (table: string, key: Readonly<Record<string, string>>, where?: string): Tampering =>
  onRow(
    table,
    "a row is added",
    `INSERT INTO {table} SELECT (json_populate_record(t, json_build_object(${Object.entries(key)
      .map(([column, value]) => `'${column}', ${value}`)
      .join(", ")}))).* FROM {table} t WHERE t.ctid = {at}`,
    where
  )

/** References by which events find a person; the invoices of purchases name no person beyond those of their payments. */
const LINKED = `owner <> 'erased:' AND (reference ~ '^(customer|subscription|payment):' OR EXISTS (
  SELECT FROM {schema}.billing_subscriptions s WHERE s.facts::text LIKE '%' || substr(reference, 9) || '%'))`

/** Changes of stored payments and of the ledger. */
const STORED: ReadonlyArray<Tampering> = [
  deleted("billing_accounts"),
  ...changes("billing_accounts", {
    user_id: "user_id || 'x'",
    customer_id: "coalesce(customer_id, '') || 'x'",
    followed: `coalesce(followed, '{}') || '{"periodStart": 1}'`,
    invoice_reports: `invoice_reports || '[{"part": 1}]'`,
    pinned: "NOT pinned",
    purchases: "purchases + 1"
  }),
  deleted("billing_subscriptions"),
  added("billing_subscriptions", { subscription_id: "t.subscription_id || 'x'" }),
  ...changes("billing_subscriptions", {
    user_id: "user_id || 'x'",
    subscription_id: "subscription_id || 'x'",
    facts: `facts || '{"startedAt": 1}'`
  }),
  deleted("billing_purchases"),
  added("billing_purchases", { session_id: "t.session_id || 'x'", number: "t.number + 1000" }),
  ...changes("billing_purchases", {
    user_id: "user_id || 'x'",
    session_id: "session_id || 'x'",
    payment_id: "coalesce(payment_id, '') || 'x'",
    price_id: "price_id || 'x'",
    granted: "granted + 1",
    paid: "paid + 1",
    currency: "'eur'",
    bought_at: "bought_at + interval '1 hour'",
    number: "number + 1000"
  }),
  deleted("credit_accounts"),
  ...changes("credit_accounts", {
    tier: "CASE tier WHEN 'pro' THEN 'business' ELSE 'pro' END",
    allowance: "allowance + 1",
    topup: "topup + 1",
    debt: "CASE debt WHEN 0 THEN 1 ELSE 0 END",
    period_credits: "period_credits + 1",
    renewed_by: "CASE renewed_by WHEN 'schedule' THEN 'invoice' ELSE 'schedule' END",
    next_reset_at: "next_reset_at + interval '1 hour'",
    transaction_count: "transaction_count + 1"
  }),
  deleted("credit_transactions"),
  added("credit_transactions", { number: "t.number + 1000" }),
  ...changes("credit_transactions", {
    type: "CASE type WHEN 'grant' THEN 'adjustment' ELSE 'grant' END",
    amount: "amount + 1",
    topup_amount: "topup_amount + 1",
    charge: "coalesce(charge, '') || 'x'",
    reference: "reference || 'x'",
    created_at: "created_at + interval '1 hour'"
  }),
  deleted("credit_purchases"),
  added("credit_purchases", { charge: "t.charge || 'x'" }),
  ...changes("credit_purchases", {
    granted: "granted + 1",
    paid: "paid + 1",
    reports: `'[{"source": "refund", "part": 7, "isWon": false, "reportedAt": 1}]'`
  }),
  deleted("payment_references", LINKED),
  ...changes("payment_references", { owner: "owner || 'x'" }, LINKED)
]

type Objects = Record<string, Record<string, unknown>>

/** The customers of people who were not erased. */
const livingCustomers = async (shop: ComparedShop): Promise<ReadonlySet<string>> => {
  const rows = await shop.query<{ id: string }>(
    `SELECT substr(reference, 10) AS id FROM ${shop.schema}.payment_references
     WHERE reference LIKE 'customer:%' AND owner IS NOT NULL AND owner <> 'erased:'`
  )
  return new Set(rows.map(({ id }) => id))
}

const UNCHANGED = "unchanged"

type Fits = (object: Record<string, unknown>, state: StandInState) => boolean
const everything: Fits = () => true

/** Changes one object of a person who was not erased. */
const onObject = (
  collection: "sessions" | "subscriptions" | "invoices" | "payments" | "disputes",
  what: string,
  change: (
    object: Record<string, unknown>,
    all: Objects,
    state: StandInState,
    customers: ReadonlySet<string>
  ) => unknown,
  fits: Fits = everything
): Tampering => ({
  name: `${collection}: ${what}`,
  tamper: async (shop, pick) => {
    const { state } = shop
    const customers = await livingCustomers(shop)
    const all = state[collection] as unknown as Objects
    const customerOf = (one: Record<string, unknown>) =>
      collection === "disputes" ? state.payments[String(one["payment"])]?.customer : one["customer"]
    const objects = Object.values(all).filter((one) => customers.has(String(customerOf(one))) && fits(one, state))
    const object = chosen(objects, pick)
    if (object === undefined) return undefined
    const before = JSON.stringify(object)
    const isChanged = change(object, all, state, customers) !== UNCHANGED
    return isChanged ? before : undefined
  }
})

const removed = (object: Record<string, unknown>, all: Objects): void => {
  delete all[String(object["id"])]
}
const copied = (object: Record<string, unknown>, all: Objects, changed: object = {}): void => {
  const id = `${String(object["id"])}x`
  all[id] = { ...structuredClone(object), ...changed, id }
}

/** Whether some of a payment was refunded or disputed. */
const isCorrected = (payment: unknown, { disputes, payments }: StandInState): boolean =>
  (payments[String(payment)]?.refunded ?? 0) > 0 || Object.values(disputes).some((one) => one.payment === payment)
const isPurchase: Fits = ({ mode, paymentStatus, total }) =>
  mode === "payment" && paymentStatus === "paid" && Number(total) > 0
const isPlanInvoice: Fits = ({ status, subscription, total }) =>
  status === "paid" && subscription !== undefined && Number(total) > 0
const isKept =
  (fits: Fits): Fits =>
  (one, state) =>
    fits(one, state) && !isCorrected(one["payment"], state)
const isLive: Fits = ({ status }) => status !== "canceled"
const isPurchasePayment: Fits = ({ id, metadata }, { sessions }) =>
  Object.keys(metadata as object).length > 0 && Object.values(sessions).some(({ payment }) => payment === id)
const isDecided: Fits = ({ status }) => status !== "needs_response"
const isLost: Fits = ({ status }) => status !== "won"
const more = (field: string, by: number) => (one: Record<string, unknown>) =>
  void Object.assign(one, { [field]: Number(one[field]) + by })

/** Moves an object to the customer of another person who was not erased. */
const moved = (
  object: Record<string, unknown>,
  _all: Objects,
  { customers }: StandInState,
  living: ReadonlySet<string>
): typeof UNCHANGED | undefined => {
  const person = ({ metadata }: { readonly metadata: object }) => Object.values(metadata).join(" ")
  const all = Object.values(customers)
  const owner = all.find(({ id }) => id === object["customer"])
  const other = all.findLast((one) => owner !== undefined && living.has(one.id) && person(one) !== person(owner))
  if (other === undefined) return UNCHANGED
  object["customer"] = other.id
  return undefined
}

/** Changes of objects of the provider. */
const AT_PROVIDER: ReadonlyArray<Tampering> = [
  onObject("sessions", "one is deleted", removed, isPurchase),
  onObject("sessions", "its total is another", more("total", 1), isPurchase),
  onObject("sessions", "it is not paid", (one) => Object.assign(one, { paymentStatus: "unpaid" }), isPurchase),
  onObject("sessions", "it was paid by another payment", (one) => Object.assign(one, { payment: "pi_x" }), isPurchase),
  onObject("sessions", "it is another customer's", moved, isKept(isPurchase)),
  onObject("sessions", "one is added", (one, all) => copied(one, all), isKept(isPurchase)),
  onObject("payments", "its amount is another", more("amount", 1), isPurchasePayment),
  onObject("payments", "more is refunded", more("refunded", 1), ({ amount, refunded }) => refunded !== amount),
  onObject("payments", "less is refunded", more("refunded", -1), ({ refunded }) => Number(refunded) > 0),
  onObject(
    "payments",
    "one is added",
    (one, all) => copied(one, all, { charge: `${String(one["charge"])}x`, refunded: 0 }),
    isPurchasePayment
  ),
  onObject("payments", "it is disputed", ({ amount, created, id }, _all, state) => {
    const dispute = { id: "dp_x", payment: String(id), amount: Number(amount), created: Number(created) }
    state.disputes["dp_x"] = { ...dispute, status: "lost", moves: [0 - Number(amount)] }
  }),
  onObject("invoices", "one is deleted", removed, isPlanInvoice),
  onObject("invoices", "another amount is paid", more("paid", 1), isPlanInvoice),
  onObject("invoices", "it is not paid", (one) => Object.assign(one, { status: "open" }), isPlanInvoice),
  onObject("invoices", "it is another customer's", moved, isKept(isPlanInvoice)),
  onObject("invoices", "one is added", (one, all) => copied(one, all), isKept(isPlanInvoice)),
  onObject("subscriptions", "one is deleted", removed, isLive),
  onObject("subscriptions", "it is another customer's", moved, isLive),
  onObject("subscriptions", "one is added", (one, all) => copied(one, all), isLive),
  onObject("subscriptions", "it has ended", (one) => Object.assign(one, { status: "canceled", endedAt: 1 }), isLive),
  onObject(
    "subscriptions",
    "its price is another",
    (one) => Object.assign(one, { price: one["price"] === "price_pro" ? "price_business" : "price_pro" }),
    isLive
  ),
  onObject("disputes", "its amount is another", more("amount", -1), isLost),
  onObject(
    "disputes",
    "it ended otherwise",
    (one) => Object.assign(one, { status: one["status"] === "won" ? "lost" : "won" }),
    isDecided
  )
]

export const TAMPERINGS = [...STORED, ...AT_PROVIDER]
