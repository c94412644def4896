import { Context, Effect, Layer, Clock, Result, Schema } from "effect"
import type { UserId } from "../identity/UserId.ts"
import { cursorOf, PersonPosition, positionIn, readCursor } from "../storage/Cursor.ts"
import { InMemoryStorage } from "../storage/InMemoryStorage.ts"
import { type LoadedAccount, accountOf, decideAll, NO_ACCOUNT } from "./rules/decideAll.ts"
import { type Hold, type HoldProgress, addSwept, NOTHING_SWEPT } from "./holds/Hold.ts"
import type { LedgerAccount, OpenHold, Changes, IdempotencyRecord, Operation, Refusal } from "./rules/LedgerState.ts"
import { type ExplainedTerms, verifyAccount } from "./rules/verifyAccount.ts"
import type { Transaction } from "./Transaction.ts"
import { InMemoryEventLog } from "../events/InMemoryEventLog.ts"
import type { TierName } from "../tiers/Tier.ts"
import { CreditLedger, CreditRecords, CreditUpkeep, type TierCount } from "./CreditLedger.ts"
import { expire, sweptBy } from "./rules/decideHold.ts"
import { decideReset, isDue } from "./rules/resetPeriod.ts"
import { AccountNotFound } from "./errors.ts"
import {
  addResets,
  type DueInput,
  noResets,
  type ResetChunk,
  type ResetInput,
  type ResetRange
} from "./upkeep/ResetChunk.ts"
import type { VerifyChunk, VerifyInput } from "./upkeep/Verification.ts"
import { isClosed, renameOwner } from "./rules/openAndClose.ts"
import { usageOf } from "./UsageReport.ts"
import { publishTransactionEvents } from "./transactionEvents.ts"
import { termsOf } from "./rules/journal.ts"

/** The stored state of one account; every write replaces the whole. */
export interface StoredAccount extends LoadedAccount {
  readonly account: LedgerAccount
  /** Oldest first. */
  readonly transactions: ReadonlyArray<Transaction>
  readonly explained: ExplainedTerms
}

/** Extends the lifetime of an open hold; returns false if the hold has ended. */
export const renewHold = (
  accounts: Map<UserId, StoredAccount>,
  { userId, key, outputTokens, draft }: HoldProgress,
  expiresAt: number
): boolean => {
  const stored = accounts.get(userId)
  const open = stored?.holds.get(key)
  if (stored === undefined || open === undefined) return false
  const renewed: OpenHold = {
    ...open,
    hold: { ...open.hold, expiresAt: Math.max(open.hold.expiresAt, expiresAt) },
    outputTokens: Math.max(open.outputTokens, outputTokens),
    draft: draft ?? open.draft
  }
  accounts.set(userId, { ...stored, holds: new Map(stored.holds).set(key, renewed) })
  return true
}

/**
 * The accounts in the memory of one process. The in-memory ledger writes them; the in-memory stores of chats and
 * billing read them.
 */
export class InMemoryAccounts extends Context.Service<InMemoryAccounts, Map<UserId, StoredAccount>>()(
  "@parley/core/credits/upkeep/InMemoryAccounts"
) {
  static readonly layer = Layer.effect(
    InMemoryAccounts,
    Effect.flatMap(InMemoryStorage, (storage) => storage.table<UserId, StoredAccount>())
  ).pipe(Layer.provide(InMemoryStorage.layer))
}

const EMPTY = { ...NO_ACCOUNT, transactions: [], explained: undefined }

const written = (stored: StoredAccount | typeof EMPTY, changes: Changes): StoredAccount => {
  const holds = new Map<string, OpenHold>(stored.holds)
  const records = new Map<string, IdempotencyRecord>(stored.records)
  for (const open of changes.opened) holds.set(open.hold.key, open)
  for (const key of changes.closed) holds.delete(key)
  for (const record of changes.records) records.set(record.key, record)
  const purchases = new Map(stored.purchases)
  for (const purchase of changes.purchases) purchases.set(purchase.charge, purchase)
  const { account } = changes
  const explained =
    stored.explained?.number === account.termsTransaction
      ? stored.explained
      : { number: account.termsTransaction, terms: termsOf(account) }
  const transactions = [...stored.transactions, ...changes.transactions]
  return { account, holds, records, purchases, transactions, explained }
}

/** The cursor of a range: the last account before the range (empty if there is none), and the last account in it. */
const Range = Schema.Tuple([Schema.String, Schema.String])

/** The next range of accounts that are due, in the order of their users. */
const nextDue = (
  accounts: Map<UserId, StoredAccount>,
  { asOf, before, limit, within }: DueInput
): ResetRange | undefined => {
  const [first, last] = positionIn(Range, within) ?? [""]
  const [, after = first] = positionIn(Range, before) ?? []
  const due = [...accounts.values()]
    .filter(({ account: { userId } }) => userId > after && (last === undefined || userId <= last))
    .filter(({ account }) => isDue(account, asOf))
    .map(({ account }) => account.userId)
    .toSorted()
  const upto = due[Math.min(limit, due.length) - 1]
  return upto === undefined ? undefined : cursorOf(after, upto)
}

const resetChunk = (
  accounts: Map<UserId, StoredAccount>,
  input: ResetInput,
  now: number,
  write: (stored: StoredAccount, changes: Changes) => void
): ResetChunk => {
  const [after = "", upto = ""] = positionIn(Range, input.range) ?? []
  let tiers = noResets(input.allowances)
  let busy = 0
  for (const stored of accounts.values()) {
    const { userId } = stored.account
    if (userId <= after || userId > upto || !isDue(stored.account, input.asOf)) continue
    const decided = decideReset(stored.account, (key) => stored.records.get(key), input, now)
    if (decided === undefined) {
      busy += 1
      continue
    }
    tiers = addResets(tiers, decided.counted)
    if (!input.dryRun) write(stored, decided.changes)
  }
  return { tiers, busy }
}

const missingTiers = (
  accounts: ReadonlyMap<UserId, StoredAccount>,
  known: ReadonlyArray<TierName>
): ReadonlyArray<TierCount> => {
  const missing = [...accounts.values()].flatMap(({ account: { pendingTier, renewedBy, tier } }) =>
    renewedBy === "none"
      ? []
      : [...new Set([tier, pendingTier])].flatMap((name) => (name === undefined || known.includes(name) ? [] : name))
  )
  return [...Map.groupBy(missing, (tier) => tier)]
    .map(([tier, found]) => ({ tier, accounts: found.length }))
    .toSorted((a, b) => (a.tier < b.tier ? -1 : 1))
}

/** The accounts, and a way to run work on them without interleaving. */
interface Store {
  readonly accounts: Map<UserId, StoredAccount>
  readonly atOnce: <A>(work: () => A) => Effect.Effect<A>
}

const recordsOf = ({ accounts, atOnce }: Store): CreditRecords["Service"] => {
  const find = (userId: UserId): Effect.Effect<StoredAccount, AccountNotFound> =>
    Effect.flatMap(
      atOnce(() => accounts.get(userId)),
      (found) => (found === undefined ? new AccountNotFound({ userId }) : Effect.succeed(found))
    )
  return {
    account: (userId) => Effect.map(find(userId), ({ account }) => accountOf(account)),
    transactions: (userId, keys) =>
      atOnce(() => {
        const records = accounts.get(userId)?.records
        return new Map(
          keys.flatMap((key) => {
            const found = records?.get(key)?.transaction
            return found === undefined ? [] : [[key, found] as const]
          })
        )
      }),
    usage: (input) => atOnce(() => usageOf(accounts.get(input.userId)?.transactions ?? [], input)),
    history: ({ userId, limit, offset, type, upto = Infinity }) =>
      Effect.map(find(userId), ({ transactions }) => {
        const matching = type === undefined ? transactions : transactions.filter((row) => row.type === type)
        const newest = Math.max(0, Math.min(upto, matching.length) - offset)
        const next = Math.max(0, newest - limit)
        return {
          transactions: matching.slice(next, newest).toReversed(),
          total: matching.length,
          next: next === 0 ? undefined : next
        }
      })
  }
}

const verifyChunk = (
  accounts: Store["accounts"],
  { limit, userId }: VerifyInput,
  after: string | undefined = ""
): VerifyChunk => {
  const chunk = [...accounts.values()]
    .filter(({ account }) => account.userId > after && account.userId === (userId ?? account.userId))
    .toSorted((a, b) => (a.account.userId < b.account.userId ? -1 : 1))
    .slice(0, limit)
  const last = chunk.at(-1)
  return {
    accounts: chunk.length,
    differences: chunk.flatMap(verifyAccount),
    next: chunk.length < limit || last === undefined ? undefined : cursorOf(last.account.userId)
  }
}

const expiredHolds = (accounts: Store["accounts"], now: number): ReadonlyArray<Hold> =>
  [...accounts.values()]
    .flatMap(({ holds }) => [...holds.values()].map(({ hold }) => hold))
    .filter(({ expiresAt }) => expiresAt <= now)
    .toSorted((a, b) => a.expiresAt - b.expiresAt)

/** The part of personal data that the ledger holds for its accounts: see `PersonalData`. */
const personalPart = (accounts: Store["accounts"]) => ({
  isInUse: (userId: UserId) => {
    const stored = accounts.get(userId)
    return stored !== undefined && !isClosed(stored.account)
  },
  people: () =>
    [...accounts.values()].map(({ account }) => {
      const { allowance, heldAllowance, heldTopup, tier, topup, userId } = account
      return { userId, tier, available: allowance + topup - heldAllowance - heldTopup }
    }),
  count: (userId: UserId) => ({ transactions: accounts.get(userId)?.transactions.length ?? 0 }),
  erase: (userId: UserId, pseudonym: UserId) => {
    const stored = accounts.get(userId)
    if (stored === undefined) return
    accounts.delete(userId)
    accounts.set(pseudonym, renameOwner(stored, userId, pseudonym))
  }
})

const make = Effect.gen(function* () {
  const storage = yield* InMemoryStorage
  const log = yield* InMemoryEventLog
  const accounts = yield* InMemoryAccounts
  const store: Store = { accounts, atOnce: (work) => storage.exclusive(Effect.sync(work)) }
  const atMoment = <A>(work: (now: number) => A) => storage.exclusive(Effect.map(Clock.currentTimeMillis, work))
  yield* storage.addPersonalPart(personalPart(accounts))

  const write = (stored: StoredAccount | typeof EMPTY, changes: Changes): void => {
    accounts.set(changes.account.userId, written(stored, changes))
    publishTransactionEvents(log, stored.account, changes.account, changes.transactions)
  }
  const decide = <A, E extends Refusal>(operation: Operation<A, E>, now: number): Result.Result<A, E> => {
    const stored = accounts.get(operation.userId) ?? EMPTY
    const { answers, changes } = decideAll(stored, [operation], now)
    if (changes !== undefined) write(stored, changes)
    const answer = answers[0] as Result.Result<A, E>
    if (Result.isSuccess(answer) && operation.companion !== undefined) storage.writeCompanion(operation.companion)
    return answer
  }

  const ledger = CreditLedger.of({
    now: Clock.currentTimeMillis,
    // A refusal changes nothing, so it becomes a failure only outside of the unit of work, and does not undo that unit.
    run: (operation) =>
      Effect.flatMap(
        atMoment((now) => decide(operation, now)),
        Effect.fromResult
      ),
    renew: ({ holds, ttlMs }) =>
      atMoment((now) => {
        const gone = holds.filter((progress) => !renewHold(accounts, progress, now + ttlMs))
        return { renewed: holds.length - gone.length, gone: gone.map(({ userId, key }) => ({ userId, key })) }
      }),
    recall: (userId) => {
      const stored = accounts.get(userId)
      return stored && accountOf(stored.account)
    }
  })
  const upkeep = CreditUpkeep.of({
    sweep: ({ limit }) =>
      atMoment((now) => {
        const swept = expiredHolds(accounts, now)
          .slice(0, limit)
          .map((hold) => sweptBy(Result.getOrUndefined(decide(expire(hold), now)), hold.amount))
          .reduce(addSwept, NOTHING_SWEPT)
        if (limit > 0) storage.writeCompanion({ _tag: "HoldsSwept" })
        return swept
      }),
    due: (input) => store.atOnce(() => nextDue(accounts, input)),
    reset: (input) => atMoment((now) => resetChunk(accounts, input, now, write)),
    missingTiers: (known) => store.atOnce(() => missingTiers(accounts, known)),
    verify: (input) =>
      Effect.flatMap(readCursor(PersonPosition, input.after), (after) =>
        store.atOnce(() => verifyChunk(accounts, input, after?.[0]))
      )
  })
  return Context.make(CreditLedger, ledger).pipe(
    Context.add(CreditRecords, recordsOf(store)),
    Context.add(CreditUpkeep, upkeep)
  )
})

/** The ledger in the memory of one process: for tests, and for trying the product out without a database. */
export const InMemoryCreditLedger = {
  layer: Layer.effectContext(make).pipe(
    Layer.provide(Layer.mergeAll(InMemoryAccounts.layer, InMemoryStorage.layer, InMemoryEventLog.layer))
  )
}
