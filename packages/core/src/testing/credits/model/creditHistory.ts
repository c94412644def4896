import { Effect, Result } from "effect"
import fc from "fast-check"
import type { Account } from "../../../credits/Account.ts"
import type { Transaction } from "../../../credits/Transaction.ts"
import type { UsageRow } from "../../../credits/UsageReport.ts"
import type { UserId } from "../../../identity/UserId.ts"
import { creditCommands, HISTORY_START, isUpkeep, sendCommand, toBuckets, upkeepCommands } from "./creditCommands.ts"
import { type CreditCommand, modelSteps } from "./creditModel.ts"
import { type ModelAccount, modelBuckets, modelUsage, newModelAccount } from "./creditModelState.ts"
import { endedBefore } from "./creditModelWork.ts"
import { atTime } from "../../atTime.ts"
import type { TestedLedger } from "../testedLedger.ts"

/** A command, its account, and the ledger through which it is sent (each ledger represents a process). */
export interface CreditCall {
  readonly command: CreditCommand
  readonly account: number
  readonly ledger: number
}

/** The calls of one wave are sent at the same time; a wave begins when all answers of the previous one have arrived. */
export type CreditHistory = ReadonlyArray<ReadonlyArray<CreditCall>>

const ACCOUNTS = 2
/** Milliseconds between two waves: a hold that is not renewed has expired two waves later. */
const WAVE_MS = 40_000
const MAX_LEDGERS = 4

/** Sweeps and resets skip rows that other calls are writing, so their effect is certain only if they run alone. */
const lone = fc
  .record({ command: upkeepCommands, account: fc.constant(0), ledger: fc.nat(MAX_LEDGERS - 1) })
  .map((call) => [call])

const busy = fc
  .array(
    fc.record({
      command: creditCommands,
      account: fc.nat(ACCOUNTS - 1),
      ledger: fc.nat(MAX_LEDGERS - 1),
      twice: fc.integer({ min: 0, max: 5 }).map((number) => number === 0)
    }),
    { minLength: 1, maxLength: 6, size: "max" }
  )
  .map((calls) => calls.flatMap(({ twice, ...call }) => (twice ? [call, call] : [call])))

const waves = fc.array(fc.oneof({ weight: 3, arbitrary: busy }, { weight: 1, arbitrary: lone }), {
  minLength: 1,
  maxLength: 8,
  size: "max"
})

const opening: fc.Arbitrary<CreditHistory> = fc.constant([
  Array.from({ length: ACCOUNTS }, (_, account) => ({ command: { _tag: "open", allowance: 40 }, account, ledger: 0 }))
])

/**
 * Histories over two accounts, which are mostly open from the start: waves of one to six calls, some of which are sent
 * twice.
 */
export const creditHistories: fc.Arbitrary<CreditHistory> = fc
  .tuple(fc.oneof({ weight: 3, arbitrary: opening }, { weight: 1, arbitrary: fc.constant([]) }), waves)
  .map(([first, rest]) => [...first, ...rest])

/** Matches the reference of a row that begins a period, or only moves the dates to it. */
const PERIOD_REFERENCE = /^(period|moved):/

const summarizeRow = (row: Transaction) => {
  const { type, amount, allowanceAmount, topupAmount, balanceAfter, reference, source, createdAt } = row
  return {
    type,
    amount,
    allowanceAmount,
    topupAmount,
    balanceAfter,
    reference: PERIOD_REFERENCE.exec(reference)?.[1] ?? reference,
    ...(source === undefined ? {} : { usage: { source, at: createdAt } })
  }
}

const DAYS_OF_HISTORY = 400
const FIRST_DAY = Math.floor(HISTORY_START / 86_400_000)

/** Sums by day and spender, over all models, because metered work has no model. */
const summarizeUsage = (rows: ReadonlyArray<UsageRow>): ReturnType<typeof modelUsage> => {
  const sums: Record<string, readonly [number, number]> = {}
  for (const { day, source, replies, credits } of rows) {
    const [before, spent] = sums[`${day} ${source}`] ?? [0, 0]
    sums[`${day} ${source}`] = [before + replies, spent + credits]
  }
  return sums
}

/** Returns the visible state of an account. */
const observe = (ledger: TestedLedger, userId: UserId): Effect.Effect<unknown, unknown> =>
  Effect.gen(function* () {
    const [account, { transactions }, usage] = yield* Effect.all(
      [
        ledger.account(userId),
        ledger.history({ userId, limit: 1_000, offset: 0, type: undefined }),
        ledger.usage({ userId, firstDay: FIRST_DAY, lastDay: FIRST_DAY + DAYS_OF_HISTORY })
      ],
      { concurrency: "unbounded" }
    )
    return {
      buckets: toBuckets(account),
      plan: planOf(account),
      rows: transactions.toReversed().map(summarizeRow),
      usage: summarizeUsage(usage)
    }
  }).pipe(Effect.catchTag("AccountNotFound", () => Effect.succeed("AccountNotFound")))

const planOf = ({
  tier,
  pendingTier,
  renewedBy,
  renewedUntil,
  anchor,
  periodStart,
  nextResetAt,
  periodCredits
}: Account | ModelAccount) => ({
  tier,
  pendingTier,
  renewedBy,
  renewedUntil,
  anchor,
  periodStart,
  nextResetAt,
  periodCredits
})

const modelView = (account: ModelAccount): unknown =>
  account.opened
    ? { buckets: modelBuckets(account), plan: planOf(account), rows: account.rows, usage: modelUsage(account) }
    : "AccountNotFound"

interface Observed {
  readonly command: CreditCommand
  readonly answer: string
}

/** Returns a text that is equal for equal answers, regardless of the order of their fields. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part
  )

/** The calls of one wave on one account, and the account's visible state after the wave. */
interface Wave {
  readonly now: number
  readonly alone: boolean
  readonly calls: ReadonlyArray<Observed>
  readonly seen: string
}

/**
 * Returns the accounts in which some order of a wave's calls ends with exactly these answers and this visible state,
 * without duplicates. There may be several, because not all state is visible at once: the period of a hold, for
 * example, is visible only when the hold ends.
 */
const explanations = function* (
  account: ModelAccount,
  wave: Wave,
  calls: ReadonlyArray<Observed> = wave.calls,
  tried: Set<string> = new Set()
): Generator<ModelAccount> {
  const name = canonical([calls, account])
  if (tried.has(name)) return
  tried.add(name)
  if (calls.length === 0) {
    if (canonical(modelView(account)) === wave.seen) yield account
    return
  }
  for (const [index, { command, answer }] of calls.entries()) {
    const ended = endedBefore(account, command, wave.now)
    if (ended !== undefined) yield* explanations(ended, wave, calls, tried)
    for (const step of modelSteps(account, command, wave.now, wave.alone)) {
      if (canonical(step.answer) !== answer) continue
      yield* explanations(step.account, wave, calls.toSpliced(index, 1), tried)
    }
  }
}

/**
 * Returns a possible account after all these waves; undefined if no orders of their calls explain the visible states.
 */
const explain = (account: ModelAccount, [wave, ...later]: ReadonlyArray<Wave>): ModelAccount | undefined => {
  if (wave === undefined) return account
  for (const after of explanations(account, wave)) {
    const explained = explain(after, later)
    if (explained !== undefined) return explained
  }
  return undefined
}

/**
 * Plays `history` on accounts of its own. Fails if the answers of a wave, together with the accounts' visible states
 * after it, cannot result from any order of its calls in the model. So a ledger that passes is linearizable and
 * correct.
 */
export const checkCreditHistory = Effect.fnUntraced(function* (
  ledgers: ReadonlyArray<TestedLedger>,
  history: CreditHistory
) {
  const run = crypto.randomUUID()
  const users = Array.from({ length: ACCOUNTS }, (_, index) => `user-${index}-${run}`)
  const models = users.map(() => newModelAccount)
  const waves: ReadonlyArray<Array<Wave>> = users.map(() => [])
  for (const [number, wave] of history.entries()) {
    const now = HISTORY_START + number * WAVE_MS
    const answers = yield* atTime(
      now,
      Effect.all(
        wave.map(({ command, account, ledger }) => {
          const call = sendCommand(
            ledgers[ledger % ledgers.length] as TestedLedger,
            users[account] as UserId,
            command,
            now
          )
          return Effect.map(Effect.result(call), (result) =>
            canonical(Result.isSuccess(result) ? result.success : result.failure._tag)
          )
        }),
        { concurrency: "unbounded" }
      )
    )
    const observed = yield* Effect.all(
      users.map((userId) => observe(ledgers[0] as TestedLedger, userId)),
      { concurrency: "unbounded" }
    )
    for (const account of users.keys()) {
      const calls = wave.flatMap(({ command, account: of }, index) =>
        of === account || isUpkeep(command) ? [{ command, answer: answers[index] as string }] : []
      )
      const seen = canonical(observed[account])
      const before = models[account] as ModelAccount
      const waveOfAccount: Wave = { now, alone: wave.length === 1, calls, seen }
      const all = waves[account] as Array<Wave>
      all.push(waveOfAccount)
      // Another order in earlier waves may also explain their states, so all waves are explained again.
      const after = explain(before, [waveOfAccount]) ?? explain(newModelAccount, all)
      if (after === undefined) return yield* Effect.die(new Error(unexplained(number, before, calls, seen)))
      models[account] = after
    }
  }
  yield* Effect.forEach(users, (userId) => expectProven(ledgers[0] as TestedLedger, userId))
})

/** Checks that the ledger's own verification finds no difference in the account. */
const expectProven = Effect.fnUntraced(function* (ledger: TestedLedger, userId: UserId) {
  const { differences } = yield* ledger.verify({ limit: 1, after: undefined, userId })
  if (differences.length > 0) return yield* Effect.die(new Error(`Not proven: ${canonical(differences)}`))
})

const unexplained = (wave: number, before: ModelAccount, calls: ReadonlyArray<Observed>, seen: string): string =>
  [
    `No order of the calls of wave ${wave} explains their answers.`,
    `Before: ${canonical(modelView(before))}`,
    ...calls.map(({ command, answer }) => `${canonical(command)} -> ${answer}`),
    `After: ${seen}`
  ].join("\n")
