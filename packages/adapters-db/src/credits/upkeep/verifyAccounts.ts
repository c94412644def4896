import {
  cursorOf,
  type Difference,
  type Invariant,
  PersonPosition,
  readCursor,
  type VerifyChunk,
  type VerifyInput
} from "@parley/core/adapter"
import type { InvalidInput } from "@parley/core/effect"
import { Effect } from "effect"
import type { Database, DatabaseError, Row } from "../../database/Database.ts"
import { livesHere } from "../../storage/leftRows.ts"

/** A block of consecutive transactions of one account, from number `first` to number `last`. */
export interface PostingBlock {
  readonly userId: string
  readonly first: number
  readonly last: number
}

/** Cuts the transactions of accounts, from `first` to the newest one, into pages of at most `size` rows. */
export const postingBlocks = function* (
  accounts: ReadonlyArray<{ readonly user_id: string; readonly first: number; readonly transaction_count: number }>,
  size: number
): Generator<ReadonlyArray<PostingBlock>> {
  let page: Array<PostingBlock> = []
  let room = size
  for (const { user_id: userId, first, transaction_count: last } of accounts) {
    for (let from = first; from <= last;) {
      const to = Math.min(last, from + room - 1)
      page.push({ userId, first: from, last: to })
      room -= to - from + 1
      from = to + 1
      if (room > 0) continue
      yield page
      page = []
      room = size
    }
  }
  if (page.length > 0) yield page
}

type Service = Database["Service"]
type Found = Effect.Effect<ReadonlyArray<Difference>, DatabaseError>

/** The most rows that one statement checks. */
const PAGE = 5000

/**
 * A range of users in the byte order of their ids: those after `after`, up to and including `upto`; null means no upper
 * end.
 */
interface Users {
  readonly after: string
  readonly upto: string | null
}

const differ = (userId: string, invariant: Invariant, expected: number, found: number): ReadonlyArray<Difference> =>
  expected === found ? [] : [{ userId, invariant, expected, found }]

/** Returns the last user of the next chunk; null if the chunk has less than the limit, so that it is the last one. */
const boundText = (schema: string) => `
  SELECT CASE WHEN count(*) = $2 THEN max(user_id) END AS upto
  FROM (SELECT user_id FROM ${schema}.credit_accounts WHERE user_id > $1 ORDER BY user_id LIMIT $2) c`

const nextUsers = ({ schema, statement }: Service, after: string, limit: number): Effect.Effect<Users, DatabaseError> =>
  Effect.map(statement<{ readonly upto: string | null }>(boundText(schema), [after, limit]), ([bound]) => ({
    after,
    upto: bound?.upto ?? null
  }))

/**
 * Returns a range that contains only this user. It begins after an id that ends with the highest character, so that no
 * other id lies between its beginning and this user.
 */
const onlyUser = (userId: string): Users => {
  const characters = Array.from(userId)
  const last = characters.pop()?.codePointAt(0) ?? 1
  // The code points just below U+E000 are surrogates, which do not occur in ids.
  const before = last === 0xe000 ? 0xd7ff : last - 1
  return {
    after: characters.join("") + (before === 0 ? "" : `${String.fromCodePoint(before)}\u{10FFFF}`),
    upto: userId
  }
}

/**
 * An account in one state of the database. Its rows up to that state are checked afterwards; they cannot change any
 * more.
 */
interface AccountState extends Row {
  readonly user_id: string
  readonly first: number
  readonly transaction_count: number
  readonly ended: number
  /** False for an account that a move left. It is counted in the cell in which its owner lives. */
  readonly here: boolean
  readonly wrong: Partial<Record<Invariant, readonly [expected: number, found: number]>> | null
}

const readAccounts = ({ schema, statement }: Service, { after, upto }: Users, since: number | undefined) =>
  statement<AccountState>(
    `SELECT user_id, first, transaction_count, ended, wrong, ${livesHere(schema, "user_id")} AS here FROM ${schema}.verify_accounts($1, $2, $3)`,
    [after, upto, since === undefined ? null : new Date(since).toISOString()]
  )

const wrongOf = ({ user_id, wrong }: AccountState): ReadonlyArray<Difference> =>
  Object.entries(wrong ?? {}).map(([invariant, [expected, found]]) => ({
    userId: user_id,
    invariant: invariant as Invariant,
    expected,
    found
  }))

interface TransactionsRow extends Row {
  readonly user_id: string
  readonly present: number
  readonly unbalanced: number
  readonly changed: number
  readonly keyless: number
  readonly unreceipted: number
  readonly unpurchased: number
}

const NO_ROWS = { present: 0, unbalanced: 0, changed: 0, keyless: 0, unreceipted: 0, unpurchased: 0 }

const readBlocks = ({ schema, statement }: Service, blocks: ReadonlyArray<PostingBlock>) =>
  statement<TransactionsRow>(`SELECT * FROM ${schema}.verify_transactions($1, $2, $3)`, [
    blocks.map(({ userId }) => userId),
    blocks.map(({ first }) => first),
    blocks.map(({ last }) => last)
  ])

/** Checks the transactions of accounts, up to the number that each account had when it was read. */
const verifyTransactions = Effect.fnUntraced(function* (database: Service, accounts: ReadonlyArray<AccountState>) {
  const counted = new Map<string, typeof NO_ROWS>()
  for (const blocks of postingBlocks(accounts, PAGE)) {
    for (const row of yield* readBlocks(database, blocks)) {
      const sum = counted.get(row.user_id) ?? NO_ROWS
      counted.set(row.user_id, {
        present: sum.present + row.present,
        unbalanced: sum.unbalanced + row.unbalanced,
        changed: sum.changed + row.changed,
        keyless: sum.keyless + row.keyless,
        unreceipted: sum.unreceipted + row.unreceipted,
        unpurchased: sum.unpurchased + row.unpurchased
      })
    }
  }
  return accounts.flatMap(({ user_id: userId, first, transaction_count }) => {
    const rows = counted.get(userId) ?? NO_ROWS
    return [
      ...differ(userId, "number of transactions", first - 1 + rows.present, transaction_count),
      ...differ(userId, "balances after each transaction", 0, rows.unbalanced),
      ...differ(userId, "transactions not as they were written", 0, rows.changed),
      ...differ(userId, "transactions without their key", 0, rows.keyless),
      ...differ(userId, "receipts that contradict their transaction", 0, rows.unreceipted),
      ...differ(userId, "transactions without their purchase", 0, rows.unpurchased)
    ]
  })
})

interface KeysRow extends Row {
  readonly user_id: string
  readonly last_key: string
  readonly keys: number
  readonly unanswered: number
  readonly contradicting: number
  readonly holds: number
  /** The sum of the numbers of the ended holds. It has the type numeric, so the driver returns it as text. */
  readonly numbers: string
}

const NO_KEYS = { unanswered: 0, contradicting: 0, holds: 0, numbers: 0n }

/** Checks the keys of a range of users, including users without an account. */
const verifyKeys = Effect.fnUntraced(function* (
  { schema, statement }: Service,
  { after, upto }: Users,
  accounts: ReadonlyArray<AccountState>
): Effect.fn.Return<ReadonlyArray<Difference>, DatabaseError> {
  const ended = JSON.stringify(Object.fromEntries(accounts.map((account) => [account.user_id, account.ended])))
  const counted = new Map<string, typeof NO_KEYS>()
  // No key is empty, so the position after all keys of a user lies before the first key of the next user.
  let place = { user: after, key: "\u{10FFFF}" }
  for (let read = PAGE; read === PAGE;) {
    const rows = yield* statement<KeysRow>(`SELECT * FROM ${schema}.verify_keys($1, $2, $3, $4, $5)`, [
      place.user,
      place.key,
      upto,
      ended,
      PAGE
    ])
    read = 0
    for (const row of rows) {
      const sum = counted.get(row.user_id) ?? NO_KEYS
      counted.set(row.user_id, {
        unanswered: sum.unanswered + row.unanswered,
        contradicting: sum.contradicting + row.contradicting,
        holds: sum.holds + row.holds,
        numbers: sum.numbers + BigInt(row.numbers)
      })
      read += row.keys
      place = { user: row.user_id, key: row.last_key }
    }
  }
  return accounts.flatMap(({ user_id: userId, ended }) => {
    const { contradicting, holds, numbers, unanswered } = counted.get(userId) ?? NO_KEYS
    // True if the holds are numbered from 1 to the number of ended holds, as far as the sum of the numbers shows.
    const distinct = 2n * numbers === BigInt(ended) * BigInt(ended + 1)
    return [
      ...differ(userId, "keys without their transaction", 0, unanswered),
      ...differ(userId, "keys that contradict their transaction", 0, contradicting),
      ...differ(userId, "number of ended holds", holds === ended && !distinct ? holds - 1 : holds, ended)
    ]
  })
})

/** The most sums of usage that one statement checks; each is the sum of some hundred transactions. */
const SUMS = 20

interface WalkedRow extends Row {
  readonly user_id: string
  readonly last: string | number
  readonly looked: number
  readonly wrong: number
}

interface Walk {
  /**
   * The database function that checks a page of rows after (user, key), and returns for each user the number of wrong
   * rows.
   */
  readonly page: "verify_usage" | "verify_purchases"
  /** A key that sorts after all keys of the user before the range. */
  readonly lastKey: string | number
  readonly rows: number
  readonly invariant: Invariant
}

/** Checks all rows of a range of users, in the order of (user, key) and in pages of bounded size. */
const walk = Effect.fnUntraced(function* (
  { schema, statement }: Service,
  { after, upto }: Users,
  { invariant, lastKey, page, rows: most }: Walk
): Effect.fn.Return<ReadonlyArray<Difference>, DatabaseError> {
  const wrong = new Map<string, number>()
  let place = { user: after, key: lastKey }
  for (let read = most; read === most;) {
    const rows = yield* statement<WalkedRow>(`SELECT * FROM ${schema}.${page}($1, $2, $3, $4)`, [
      place.user,
      place.key,
      upto,
      most
    ])
    read = 0
    for (const row of rows) {
      wrong.set(row.user_id, (wrong.get(row.user_id) ?? 0) + row.wrong)
      read += row.looked
      place = { user: row.user_id, key: row.last }
    }
  }
  return [...wrong].flatMap(([userId, differing]) => differ(userId, invariant, 0, differing))
})

/** Compares each sum of usage with the transactions that it sums. */
const USAGE: Walk = {
  page: "verify_usage",
  lastKey: Number.MAX_SAFE_INTEGER,
  rows: SUMS,
  invariant: "sums of usage"
}

/** Compares each purchase with the transactions that granted or took back its credits. */
const PURCHASES: Walk = {
  page: "verify_purchases",
  lastKey: "\u{10FFFF}",
  rows: PAGE,
  invariant: "purchases that contradict their transactions"
}

const verifyOwners = ({ schema, statement }: Service, { after, upto }: Users): Found =>
  Effect.map(
    statement<{ readonly user_id: string }>(`SELECT user_id FROM ${schema}.verify_owners($1, $2)`, [after, upto]),
    (rows) => rows.flatMap(({ user_id }) => differ(user_id, "rows without an account", 0, 1))
  )

/** Compares the number of opened accounts with the number of existing ones: accounts are never deleted. */
const verifyOpenings = ({ schema, statement }: Service): Found =>
  Effect.map(
    statement<{ readonly opened: number; readonly present: number }>(
      `SELECT (SELECT coalesce(sum(accounts), 0) FROM ${schema}.credit_openings)::bigint AS opened,
        (SELECT count(*) FROM ${schema}.credit_accounts) AS present`
    ),
    ([row]) => differ("*", "number of accounts", row?.opened ?? 0, row?.present ?? 0)
  )

/**
 * Verifies the next chunk of accounts, in the order of their user ids. Each account is read with its open holds in one
 * state of the database. Its transactions and keys are append-only, so they are read afterwards, in bounded pages, up
 * to their number in that state. The verification can therefore run while other work continues, and its time is
 * proportional to the number of rows.
 */
export const verifyAccounts = Effect.fnUntraced(function* (
  database: Service,
  { after, limit, since, userId }: VerifyInput
): Effect.fn.Return<VerifyChunk, DatabaseError | InvalidInput> {
  const [last = ""] = (yield* readCursor(PersonPosition, after)) ?? []
  const users = userId === undefined ? yield* nextUsers(database, last, limit) : onlyUser(userId)
  const { upto } = users
  const accounts = yield* readAccounts(database, users, since)
  const whole = since === undefined
  const differences = [
    ...accounts.flatMap(wrongOf),
    ...(yield* verifyTransactions(database, accounts)),
    ...(whole ? yield* verifyKeys(database, users, accounts) : []),
    ...(whole ? yield* walk(database, users, USAGE) : []),
    ...(whole ? yield* walk(database, users, PURCHASES) : []),
    ...(yield* verifyOwners(database, users)),
    ...(upto === null ? yield* verifyOpenings(database) : [])
  ]
  if (userId !== undefined) {
    return { accounts: accounts.length, next: undefined, differences }
  }
  const counted = accounts.filter(({ here }) => here).length
  return { accounts: counted, next: upto === null ? undefined : cursorOf(upto), differences }
})
