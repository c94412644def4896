import type pg from "pg"
import { PACK_CREDITS } from "./installation/Installation.ts"
import { PIECES } from "./installation/ModelVendor.ts"
import { digestOf, type Promised, type Spool } from "./Spool.ts"

const BATCH = 500

type Of<Kind extends Promised["kind"]> = Extract<Promised, { readonly kind: Kind }>

interface MessageRow {
  readonly id: string
  readonly chat: string
  readonly content: string
  readonly state: string
  readonly charges: number
  readonly charged: number
}

/** Returns the reply messages that a condition selects, each with its charges. */
const messages = async (
  pool: pg.Pool,
  where: string,
  ids: ReadonlyArray<string>
): Promise<ReadonlyArray<MessageRow>> => {
  const { rows } = await pool.query<MessageRow>(
    `SELECT m.id, m.chat_id AS chat, m.content, m.state, count(t.number)::int AS charges,
            coalesce(-sum(t.amount), 0)::int AS charged
     FROM parley.messages m LEFT JOIN parley.credit_transactions t
       ON t.user_id = m.user_id AND t.type = 'usage' AND t.reference = 'reply:' || m.id
     WHERE m.role = 'assistant' AND ${where} = ANY($1)
     GROUP BY m.user_id, m.bot, m.visitor, m.chat_id, m.position`,
    [ids]
  )
  return rows
}

/** Returns the difference between a reply that was received completely and its row; undefined if there is none. */
const wholeProblem = (row: MessageRow | undefined): string | undefined => {
  if (row === undefined) return "an answered reply is not stored"
  if (row.state !== "complete") return `an answered reply is stored as ${row.state}`
  if (row.charges !== 1 || row.charged !== PIECES)
    return `an answered reply has ${row.charges} charges of ${row.charged}`
  return undefined
}

const replyProblem = (reply: Of<"reply">, row: MessageRow | undefined): string | undefined => {
  const isSame = row !== undefined && digestOf(row.content.slice(0, reply.length)) === reply.digest
  if (reply.isWhole) {
    const isOther = row !== undefined && (!isSame || row.content.length !== reply.length)
    return isOther ? "an answered reply is stored with another text" : wholeProblem(row)
  }
  if (row === undefined) return reply.length === 0 ? undefined : "the beginning of a reply is not stored"
  if (!isSame) return "a reply is stored without the beginning that its reader received"
  if (row.state === "streaming") return "a reply has no end"
  return row.charges === 1 ? undefined : `a reply that ended early has ${row.charges} charges`
}

const judgeReplies = async (pool: pg.Pool, replies: ReadonlyArray<Of<"reply">>): Promise<ReadonlyArray<string>> => {
  const rows = await messages(
    pool,
    "m.id",
    replies.map(({ message }) => message)
  )
  const byId = new Map(rows.map((row) => [row.id, row]))
  return replies.flatMap((reply) => replyProblem(reply, byId.get(reply.message)) ?? [])
}

const judgeVisits = async (pool: pg.Pool, visits: ReadonlyArray<Of<"visit">>): Promise<ReadonlyArray<string>> => {
  const rows = await messages(
    pool,
    "m.chat_id",
    visits.map(({ conversation }) => conversation)
  )
  const byText = new Map(rows.map((row) => [`${row.chat} ${digestOf(row.content)}`, row]))
  return visits.flatMap(({ conversation, digest }) => {
    const problem = wholeProblem(byText.get(`${conversation} ${digest}`))
    return problem === undefined ? [] : [`widget: ${problem}`]
  })
}

const judgeDocuments = async (pool: pg.Pool, documents: ReadonlyArray<Of<"document">>) => {
  const { rows } = await pool.query<{ id: string; status: string; bytes: number; passages: number; stored: number }>(
    `SELECT d.id, d.status, d.bytes::int, coalesce(d.passages, 0) AS passages,
            (SELECT coalesce(sum(octet_length(p.bytes)), 0)::int FROM parley.file_parts p
             WHERE p.user_id = d.user_id AND p.document_id = d.id) AS stored
     FROM parley.documents d WHERE d.id = ANY($1)`,
    [documents.map(({ id }) => id)]
  )
  const byId = new Map(rows.map((row) => [row.id, row]))
  return documents.flatMap(({ bytes, id, isDeleted }) => {
    const row = byId.get(id)
    if (isDeleted) return row === undefined ? [] : ["a deleted document is there"]
    if (row === undefined) return ["a document that was ready is gone"]
    const isWhole = row.status === "ready" && row.bytes === bytes && row.stored === bytes && row.passages > 0
    return isWhole
      ? []
      : [`a document that was ready is stored as ${JSON.stringify({ ...row, id: undefined, sent: bytes })}`]
  })
}

const judgePayments = async (pool: pg.Pool, payments: ReadonlyArray<Of<"payment">>): Promise<ReadonlyArray<string>> => {
  const { rows } = await pool.query<{ session: string; purchases: number; grants: number; granted: number }>(
    `SELECT b.session_id AS session, count(DISTINCT (b.user_id, b.number))::int AS purchases,
            count(t.number)::int AS grants, coalesce(sum(t.amount), 0)::int AS granted
     FROM parley.billing_purchases b LEFT JOIN parley.credit_transactions t
       ON t.user_id = b.user_id AND t.charge = b.payment_id AND t.type = 'topup'
     WHERE b.session_id = ANY($1) GROUP BY b.session_id`,
    [payments.map(({ session }) => session)]
  )
  const events = await pool.query<{ id: string; state: string }>(
    "SELECT event_id AS id, state FROM parley.payment_events WHERE event_id = ANY($1)",
    [payments.flatMap((payment) => payment.events)]
  )
  const bySession = new Map(rows.map((row) => [row.session, row]))
  const states = new Map(events.rows.map(({ id, state }) => [id, state]))
  return payments.flatMap((payment) => {
    const { granted, grants, purchases } = bySession.get(payment.session) ?? { purchases: 0, grants: 0, granted: 0 }
    const isOnce = purchases === 1 && grants === 1 && granted === PACK_CREDITS
    const unapplied = payment.events
      .map((id) => states.get(id) ?? "missing")
      .filter((state) => state !== "applied" && state !== "ignored")
    return [
      ...(isOnce ? [] : [`a payment has ${purchases} purchases and ${grants} grants of ${granted}`]),
      ...unapplied.map((state) => `an event that was taken is ${state}`)
    ]
  })
}

/** Compares all confirmed facts with the stored rows; returns the number of occurrences of each problem. */
export const judgeAnswers = async (pool: pg.Pool, spool: Spool): Promise<ReadonlyMap<string, number>> => {
  const problems = new Map<string, number>()
  await spool.read(BATCH, async (batch) => {
    const of = <Kind extends Promised["kind"]>(kind: Kind) =>
      batch.filter((each): each is Of<Kind> => each.kind === kind)
    const found = [
      ...(await judgeReplies(pool, of("reply"))),
      ...(await judgeVisits(pool, of("visit"))),
      ...(await judgeDocuments(pool, of("document"))),
      ...(await judgePayments(pool, of("payment")))
    ]
    for (const problem of found) problems.set(problem, (problems.get(problem) ?? 0) + 1)
  })
  return problems
}

const LEFT = `
  SELECT (SELECT count(*)::int FROM parley.credit_holds) AS "open holds",
         (SELECT count(*)::int FROM parley.messages WHERE state = 'streaming') AS "messages that are being written",
         (SELECT count(*)::int FROM parley.running_replies) AS "records of running replies",
         (SELECT count(*)::int FROM parley.documents WHERE status = 'processing') AS "documents that are being read",
         (SELECT count(*)::int FROM parley.payment_waits) AS "payment events that wait",
         (SELECT count(*)::int FROM parley.documents WHERE status = 'failed') AS "documents that failed"`

/** Returns the kinds of work that have not ended, with their numbers. */
export const unfinished = async (pool: pg.Pool): Promise<ReadonlyArray<readonly [string, number]>> => {
  const { rows } = await pool.query<Record<string, number>>(LEFT)
  return Object.entries(rows[0] ?? {}).filter(([, count]) => count > 0)
}

/** Counts rows that no answer confirms: charges without a message for which they were made, purchases, and resets. */
export const countRows = async (pool: pg.Pool) => {
  const { rows } = await pool.query<{
    orphans: number
    purchases: number
    resets: number
    bytes: number
    replies: number
  }>(
    `SELECT (SELECT count(*)::int FROM parley.credit_transactions t WHERE t.type = 'usage' AND NOT EXISTS
              (SELECT FROM parley.messages m WHERE m.user_id = t.user_id AND 'reply:' || m.id = t.reference)) AS orphans,
            (SELECT count(*)::int FROM parley.billing_purchases) AS purchases,
            (SELECT count(*)::int FROM parley.credit_transactions
             WHERE type = 'reset' AND number > 1 AND reference LIKE 'period:%') AS resets,
            (SELECT count(*)::int FROM parley.messages WHERE role = 'assistant') AS replies,
            pg_database_size(current_database())::float8 AS bytes`
  )
  return rows[0] ?? { orphans: NaN, purchases: NaN, resets: NaN, replies: NaN, bytes: NaN }
}
