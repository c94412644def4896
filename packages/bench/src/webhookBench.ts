/**
 * Compares the handling of payment events on a real Postgres with a usual handler, which selects the event's id,
 * updates the user and inserts the row, without an order and without guarantees. `npm run bench:webhook`, with
 * TEST_DATABASE_URL. Exits with 1 if Parley applies fewer events per second than the usual handler at 32 connections.
 */
import { parseArgs } from "node:util"
import {
  migrate,
  PgBillingStoreLayer,
  PgCreditLedgerLayer,
  PgDatabaseLayer,
  PgUnitOfWorkLayer
} from "@parley/adapters-db"
import { Catalog, noPayments, PaymentInbox } from "@parley/core/effect"
import { makeCatalog } from "@parley/core"
import { paymentProviderLayer, type PaymentProvider } from "@parley/core/adapter"
import type { ReceivedPaymentEvent } from "@parley/core/adapter"
import { Context, Effect, Exit, Layer, Scope, Stream } from "effect"
import pg from "pg"
import { machineFacts } from "./measuring/machineFacts.ts"
import { median } from "./measuring/statistics.ts"
import { createTemporaryDatabase } from "./measuring/temporaryDatabase.ts"

const { values: flags } = parseArgs({
  options: { events: { type: "string", default: "2000" }, rounds: { type: "string", default: "5" } }
})
const events = Number(flags.events)
const rounds = Number(flags.rounds)
const USERS = 500

const catalog = makeCatalog({ prices: { price_credits: { topup: 700 } } })

const purchase = (round: string, index: number): ReceivedPaymentEvent => {
  const id = `${round}_${index}`
  const userId = `user-${index % USERS}`
  const event = {
    id: `evt_${id}`,
    kind: "checkout.session.completed",
    createdAt: 1_800_000_000_000,
    customerId: `cus_${index % USERS}`,
    event: {
      _tag: "Checkout" as const,
      session: {
        id: `cs_${id}`,
        mode: "one-time" as const,
        customerId: `cus_${index % USERS}`,
        userId,
        priceId: "price_credits",
        subscriptionId: undefined,
        paymentId: `pi_${id}`,
        isPaid: true,
        amountTotal: 990,
        currency: "usd",
        createdAt: 1_800_000_000_000
      }
    }
  }
  return { ...event, payload: JSON.stringify(event) }
}

/** Returns the number of events per second, with `connections` concurrent events. */
const rate = async (connections: number, apply: (index: number) => Promise<unknown>): Promise<number> => {
  let next = 0
  const start = performance.now()
  const lane = async () => {
    while (next < events) await apply(next++)
  }
  await Promise.all(Array.from({ length: connections }, lane))
  return (events * 1000) / (performance.now() - start)
}

/** Returns a payment provider that lists these events. */
const listing = (listed: () => ReadonlyArray<ReceivedPaymentEvent>) =>
  ({ ...noPayments, events: () => Stream.fromIterable(listed()) }) satisfies PaymentProvider

const openInbox = (url: string, connections: number, gateway = noPayments) => {
  const database = PgDatabaseLayer({ url, maxConnections: Math.max(2, connections) })
  const stores = Layer.mergeAll(PgBillingStoreLayer, PgCreditLedgerLayer, PgUnitOfWorkLayer).pipe(
    Layer.provide(database)
  )
  return PaymentInbox.layer.pipe(
    Layer.provide([stores, Layer.succeed(Catalog, catalog), paymentProviderLayer(gateway)])
  )
}

/**
 * Returns the number of missed events per second that `processes` processes apply, all of which start at the same time.
 */
const catchUpRate = async (url: string, processes: number, round: string): Promise<number> => {
  const missed = Array.from({ length: events }, (_, index) => purchase(`missed_${processes}_${round}`, index))
  const scope = Scope.makeUnsafe()
  const open = openInbox(
    url,
    10,
    listing(() => missed)
  )
  const inboxes = await Promise.all(
    Array.from({ length: processes }, async () => {
      const built = await Effect.runPromise(Layer.buildWithScope(Layer.fresh(open), scope))
      return Context.get(built, PaymentInbox)
    })
  )
  const start = performance.now()
  await Promise.all(inboxes.map((inbox) => Effect.runPromise(inbox.catchUp({ since: 0, dryRun: false }))))
  const rateNow = (events * 1000) / (performance.now() - start)
  await Effect.runPromise(Scope.close(scope, Exit.void))
  return rateNow
}

const usualHandler = async (url: string, connections: number) => {
  const pool = new pg.Pool({ connectionString: url, max: connections })
  await pool.query(`CREATE TABLE IF NOT EXISTS usual_users (id text PRIMARY KEY, credits bigint NOT NULL);
    CREATE TABLE IF NOT EXISTS usual_events (id text PRIMARY KEY, body jsonb NOT NULL)`)
  await pool.query(
    `INSERT INTO usual_users SELECT 'user-' || n, 0 FROM generate_series(0, ${USERS - 1}) n ON CONFLICT DO NOTHING`
  )
  const apply = async ({ event, id, payload }: ReceivedPaymentEvent) => {
    const { rowCount } = await pool.query("SELECT id FROM usual_events WHERE id = $1", [id])
    if (rowCount !== 0 || event._tag !== "Checkout") return
    await pool.query("UPDATE usual_users SET credits = credits + 700 WHERE id = $1", [event.session.userId])
    await pool.query("INSERT INTO usual_events (id, body) VALUES ($1, $2)", [id, payload])
  }
  return { apply, close: () => pool.end() }
}

const database = await createTemporaryDatabase()
const { url } = database
await Effect.runPromise(Effect.scoped(Effect.provide(migrate(), PgDatabaseLayer({ url, maxConnections: 2 }))))
const admin = new pg.Client({ connectionString: url })
await admin.connect()
console.log(`${await machineFacts(admin)}\n${events} events a round, ${rounds} rounds`)
await admin.end()
let isSlower = false
for (const connections of [1, 32]) {
  const scope = Scope.makeUnsafe()
  const context = await Effect.runPromise(Layer.buildWithScope(openInbox(url, connections), scope))
  const inbox = Context.get(context, PaymentInbox)
  const usual = await usualHandler(url, connections)
  const ours: Array<number> = []
  const theirs: Array<number> = []
  for (let round = 0; round <= rounds; round++) {
    const name = `${connections}_${round}`
    const mine = await rate(connections, (index) => Effect.runPromise(inbox.accept(purchase(name, index))))
    const other = await rate(connections, (index) => usual.apply(purchase(name, index)))
    // The first round is not counted: it opens accounts and warms up.
    if (round === 0) continue
    ours.push(mine)
    theirs.push(other)
  }
  const [own, bare] = [median(ours), median(theirs)]
  console.log(
    `${connections} connections: ${own.toFixed(0)} events a second, the usual handler ${bare.toFixed(0)}: ${(own / bare).toFixed(2)}x`
  )
  if (connections === 32 && own < bare) isSlower = true
  await usual.close()
  await Effect.runPromise(Scope.close(scope, Exit.void))
}
for (const processes of [1, 2]) {
  const rates: Array<number> = []
  for (let round = 0; round < rounds; round++) rates.push(await catchUpRate(url, processes, String(round)))
  console.log(`catch-up by ${processes} at once: ${median(rates).toFixed(0)} events a second`)
}
await database.drop()
process.exit(isSlower ? 1 : 0)
