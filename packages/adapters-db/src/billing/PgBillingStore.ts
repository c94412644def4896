import {
  type BillingAccount,
  BillingStore,
  type FollowedPeriod,
  type PaymentEventStore,
  type SubscriptionFacts
} from "@parley/core/adapter"
import { Effect, Layer } from "effect"
import { Database, type Row } from "../database/Database.ts"
import { storing } from "../storage/storageFailed.ts"
import { jsonOrNull, type StoredWaiting, toWaiting } from "./paymentRows.ts"
import { PgPaymentEventStoreLayer } from "./PgPaymentEventStore.ts"
import { type StoredAccount, toAccount } from "./storedAccount.ts"

type Db = Database["Service"]

interface PurchaseRow extends Row {
  readonly session_id: string
  readonly payment_id: string | null
  readonly price_id: string
  readonly granted: number
  readonly paid: number
  readonly currency: string
  readonly bought_at: Date
}

const pin =
  ({ schema, statement }: Db): BillingStore["Service"]["pin"] =>
  ({ followed, pinned, userId }) =>
    statement<{ readonly answer: StoredAccount }>(`SELECT ${schema}.pin_tier($1, $2, $3) AS answer`, [
      userId,
      pinned ?? null,
      jsonOrNull(followed)
    ]).pipe(
      Effect.map(([row]) => toAccount((row as { readonly answer: StoredAccount }).answer)),
      storing("BillingStore.pin")
    )

const link =
  ({ schema, statement }: Db): BillingStore["Service"]["link"] =>
  ({ customerId, replaces, userId }) =>
    statement<{
      readonly answer: { readonly customerId: string | null; readonly waiting: ReadonlyArray<StoredWaiting> }
    }>(`SELECT ${schema}.link_customer($1, $2, $3) AS answer`, [userId, customerId, replaces ?? null]).pipe(
      Effect.map(([row]) => ({
        customerId: row?.answer.customerId ?? undefined,
        waiting: (row?.answer.waiting ?? []).map(toWaiting)
      })),
      storing("BillingStore.link")
    )

const adopt =
  ({ schema, statement }: Db): BillingStore["Service"]["adopt"] =>
  (people, { dryRun }) =>
    statement<{
      readonly answer: {
        readonly refused: ReadonlyArray<{ readonly person: string; readonly customer: string | null }>
        readonly waiting: ReadonlyArray<StoredWaiting>
      }
    }>(`SELECT ${schema}.adopt_customers($1, $2) AS answer`, [
      JSON.stringify(
        people.map(({ customerId: customer, importedAt: imported_at, userId: person }) => ({
          person,
          customer,
          imported_at
        }))
      ),
      dryRun
    ]).pipe(
      Effect.map(([row]) => ({
        refused: new Map((row?.answer.refused ?? []).map(({ customer, person }) => [person, customer ?? undefined])),
        waiting: (row?.answer.waiting ?? []).map(({ id }) => id)
      })),
      storing("BillingStore.adopt")
    )

const account =
  ({ schema, statement }: Db): BillingStore["Service"]["account"] =>
  (userId) =>
    statement<{
      customer_id: string | null
      followed: FollowedPeriod | null
      subscriptions: ReadonlyArray<SubscriptionFacts>
      invoice_reports: BillingAccount["invoiceReports"] | null
      pinned: boolean | null
      imported_at: Date | null
    }>(
      `SELECT a.customer_id, a.followed, a.invoice_reports, a.pinned, a.imported_at, (
           SELECT coalesce(json_agg(s.facts ORDER BY s.subscription_id), '[]')
           FROM ${schema}.billing_subscriptions s WHERE s.user_id = $1
         ) AS subscriptions
         FROM (SELECT $1::text AS user_id) u LEFT JOIN ${schema}.billing_accounts a ON a.user_id = u.user_id`,
      [userId]
    ).pipe(
      Effect.map(([row]) =>
        toAccount({
          userId,
          customerId: row?.customer_id ?? null,
          followed: row?.followed ?? null,
          subscriptions: row?.subscriptions ?? [],
          invoiceReports: row?.invoice_reports ?? [],
          pinned: row?.pinned ?? false,
          importedAt: row?.imported_at?.getTime() ?? null
        })
      ),
      storing("BillingStore.account")
    )

const bought =
  ({ schema, statement }: Db): BillingStore["Service"]["bought"] =>
  (userId) =>
    statement<PurchaseRow>(
      `SELECT p.session_id, p.payment_id, p.price_id, p.granted, p.paid, p.currency, p.bought_at
         FROM ${schema}.billing_purchases p WHERE p.user_id = $1 ORDER BY p.bought_at DESC, p.session_id DESC`,
      [userId]
    ).pipe(
      Effect.map((rows) =>
        rows.map((row) => ({
          sessionId: row.session_id,
          paymentId: row.payment_id ?? undefined,
          priceId: row.price_id,
          granted: row.granted,
          paid: row.paid,
          currency: row.currency,
          boughtAt: row.bought_at.getTime()
        }))
      ),
      storing("BillingStore.bought")
    )

const ownerOf =
  ({ schema, statement }: Db): BillingStore["Service"]["ownerOf"] =>
  (references, claimed) =>
    statement<{ owner: string | null }>(
      `SELECT coalesce(${schema}.owner_of_references($1), (
         SELECT r.owner FROM ${schema}.payment_references r WHERE r.reference = ${schema}.erased_reference($2))) AS owner`,
      [references, claimed ?? null]
    ).pipe(
      Effect.map(([row]) => {
        const owner = row?.owner ?? undefined
        return owner === undefined ? undefined : { userId: owner === "erased:" ? undefined : owner }
      }),
      storing("BillingStore.ownerOf")
    )

const make = Effect.map(Database, (database) =>
  BillingStore.of({
    pin: pin(database),
    link: link(database),
    adopt: adopt(database),
    account: account(database),
    bought: bought(database),
    ownerOf: ownerOf(database)
  })
)

/** The people who pay, and the events of the payment provider, in Postgres or PGlite. */
export const PgBillingStoreLayer: Layer.Layer<BillingStore | PaymentEventStore, never, Database> = Layer.merge(
  Layer.effect(BillingStore, make),
  PgPaymentEventStoreLayer
)
