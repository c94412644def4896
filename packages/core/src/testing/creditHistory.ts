import { Effect, Result } from "effect"
import fc from "fast-check"
import type { CreditLedger, HoldEnd, Reserved } from "../credits/CreditLedger.ts"
import type { Transaction } from "../credits/Transaction.ts"
import type { UserId } from "../identity/UserId.ts"
import { receiptDraft, reservation } from "./creditFixtures.ts"
import { type CreditCommand, type ModelAccount, modelBuckets, modelStep, newModelAccount } from "./creditModel.ts"

type Ledger = CreditLedger["Service"]

/** A command, the account it is for, and through which of the ledgers (as of several processes) it is sent. */
export interface CreditCall {
  readonly command: CreditCommand
  readonly account: number
  readonly ledger: number
}

/** Calls of one wave are sent at once; a wave begins when all answers of the one before have come. */
export type CreditHistory = ReadonlyArray<ReadonlyArray<CreditCall>>

const replies = fc.constantFrom("reply:1", "reply:2", "reply:3")
const topups = fc.constantFrom("topup:1", "topup:2")
/** Mostly keys of one kind; now and then one of the other kind, which is a conflict. */
const mostly = (usual: fc.Arbitrary<string>, other: fc.Arbitrary<string>) =>
  fc.oneof({ weight: 9, arbitrary: usual }, { weight: 1, arbitrary: other })
const holdKeys = mostly(replies, topups)
const grantKeys = mostly(topups, replies)
const amounts = fc.oneof(
  { weight: 12, arbitrary: fc.integer({ min: 1, max: 50 }) },
  { weight: 1, arbitrary: fc.constantFrom(0, -1, 0.5, Number.NaN, Number.MAX_SAFE_INTEGER + 1) }
)
const commands: fc.Arbitrary<CreditCommand> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ _tag: fc.constant("open" as const), allowance: fc.nat(60) }) },
  {
    weight: 6,
    arbitrary: fc
      .record({ _tag: fc.constant("reserve" as const), key: holdKeys, amount: amounts, shrinks: fc.boolean() })
      .map(({ shrinks, ...command }) => ({ ...command, atLeast: shrinks ? 1 : command.amount }))
  },
  { weight: 5, arbitrary: fc.record({ _tag: fc.constant("settle" as const), key: holdKeys, amount: amounts }) },
  { weight: 2, arbitrary: fc.record({ _tag: fc.constant("release" as const), key: holdKeys }) },
  {
    weight: 3,
    arbitrary: fc.record({
      _tag: fc.constant("grant" as const),
      key: grantKeys,
      amount: amounts,
      type: fc.constantFrom("topup" as const, "grant" as const)
    })
  }
)

const ACCOUNTS = 2
const MAX_LEDGERS = 4

const waves = fc.array(
  fc
    .array(
      fc.record({
        command: commands,
        account: fc.nat(ACCOUNTS - 1),
        ledger: fc.nat(MAX_LEDGERS - 1),
        twice: fc.integer({ min: 0, max: 5 }).map((number) => number === 0)
      }),
      { minLength: 1, maxLength: 6, size: "max" }
    )
    .map((calls) => calls.flatMap(({ twice, ...call }) => (twice ? [call, call] : [call]))),
  { minLength: 1, maxLength: 8, size: "max" }
)

const opening: fc.Arbitrary<CreditHistory> = fc.constant([
  Array.from({ length: ACCOUNTS }, (_, account) => ({ command: { _tag: "open", allowance: 40 }, account, ledger: 0 }))
])

/** Histories over two accounts, mostly open from the start: waves of one to six calls, some of them sent twice. */
export const creditHistories: fc.Arbitrary<CreditHistory> = fc
  .tuple(fc.oneof({ weight: 3, arbitrary: opening }, { weight: 1, arbitrary: fc.constant([]) }), waves)
  .map(([first, rest]) => [...first, ...rest])

const send = (
  ledger: Ledger,
  userId: UserId,
  command: CreditCommand
): Effect.Effect<unknown, { readonly _tag: string }> => {
  switch (command._tag) {
    case "open":
      return Effect.map(ledger.open({ userId, tier: "free", allowance: command.allowance }), toBuckets)
    case "reserve": {
      const { key, amount, atLeast } = command
      return Effect.map(ledger.reserve(reservation(userId, key, amount, { atLeast })), toldReserved)
    }
    case "settle": {
      const { key, amount } = command
      return Effect.map(ledger.settle({ userId, key, amount, draft: receiptDraft }), toldEnd)
    }
    case "release":
      return Effect.map(ledger.release({ userId, key: command.key }), toldEnd)
    case "grant": {
      const { key, amount, type } = command
      return Effect.map(ledger.grant({ userId, key, amount, type }), ({ id, amount: granted, balanceAfter }) => ({
        granted,
        id,
        balanceAfter
      }))
    }
  }
}

const toBuckets = (account: ReturnType<typeof modelBuckets>): ReturnType<typeof modelBuckets> => ({
  allowance: account.allowance,
  topup: account.topup,
  debt: account.debt,
  heldAllowance: account.heldAllowance,
  heldTopup: account.heldTopup
})

const toldReserved = (reserved: Reserved): unknown =>
  reserved._tag === "Refused"
    ? { refused: reserved.buckets }
    : { held: [reserved.hold.from.allowance, reserved.hold.from.topup], replayed: reserved.replayed }

const toldEnd = (end: HoldEnd): unknown =>
  end._tag === "Released"
    ? "Released"
    : { charged: end.receipt.charged, held: end.receipt.held, paid: end.receipt.paidFrom, id: end.transactionId }

const toldRow = ({ type, amount, allowanceAmount, topupAmount, balanceAfter, reference }: Transaction) => ({
  type,
  amount,
  allowanceAmount,
  topupAmount,
  balanceAfter,
  reference: reference.startsWith("period:") ? "period" : reference
})

/** What can be seen of an account from outside. */
const observe = (ledger: Ledger, userId: UserId): Effect.Effect<unknown, unknown> =>
  Effect.gen(function* () {
    const buckets = toBuckets(yield* ledger.account(userId))
    const { transactions } = yield* ledger.history({ userId, limit: 1_000, offset: 0, type: undefined })
    return { buckets, rows: transactions.toReversed().map(toldRow) }
  }).pipe(Effect.catchTag("AccountNotFound", () => Effect.succeed("AccountNotFound")))

const modelView = (account: ModelAccount): unknown =>
  account.opened ? { buckets: modelBuckets(account), rows: account.rows } : "AccountNotFound"

interface Observed {
  readonly command: CreditCommand
  readonly answer: string
}

/** A text that is equal for equal answers, whatever the order of their fields. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part
  )

/** An order of the calls in which the model gives exactly these answers and ends as `seen`; undefined if there is none. */
const explain = (account: ModelAccount, calls: ReadonlyArray<Observed>, seen: string): ModelAccount | undefined => {
  if (calls.length === 0) return canonical(modelView(account)) === seen ? account : undefined
  const tried = new Set<string>()
  for (const [index, { command, answer }] of calls.entries()) {
    const name = canonical(command) + answer
    if (tried.has(name)) continue
    tried.add(name)
    const step = modelStep(account, command)
    if (canonical(step.answer) !== answer) continue
    const explained = explain(step.account, calls.toSpliced(index, 1), seen)
    if (explained !== undefined) return explained
  }
  return undefined
}

/**
 * Plays `history` on accounts of its own and fails where some wave's answers, with what the accounts show after it,
 * cannot have come from any order of its calls in the model: the ledger is linearizable, and right.
 */
export const checkCreditHistory = Effect.fnUntraced(function* (ledgers: ReadonlyArray<Ledger>, history: CreditHistory) {
  const run = crypto.randomUUID()
  const users = Array.from({ length: ACCOUNTS }, (_, index) => `user-${index}-${run}`)
  const models = users.map(() => newModelAccount)
  for (const [number, wave] of history.entries()) {
    const answers = yield* Effect.all(
      wave.map(({ command, account, ledger }) => {
        const call = send(ledgers[ledger % ledgers.length] as Ledger, users[account] as UserId, command)
        return Effect.map(Effect.result(call), (result) =>
          canonical(Result.isSuccess(result) ? result.success : result.failure._tag)
        )
      }),
      { concurrency: "unbounded" }
    )
    for (const [account, userId] of users.entries()) {
      const calls = wave.flatMap(({ command, account: of }, index) =>
        of === account ? [{ command, answer: answers[index] as string }] : []
      )
      const seen = canonical(yield* observe(ledgers[0] as Ledger, userId))
      const before = models[account] as ModelAccount
      const after = explain(before, calls, seen)
      if (after === undefined) return yield* Effect.die(new Error(unexplained(number, before, calls, seen)))
      models[account] = after
    }
  }
})

const unexplained = (wave: number, before: ModelAccount, calls: ReadonlyArray<Observed>, seen: string): string =>
  [
    `No order of the calls of wave ${wave} explains their answers.`,
    `Before: ${canonical(modelView(before))}`,
    ...calls.map(({ command, answer }) => `${canonical(command)} -> ${answer}`),
    `After: ${seen}`
  ].join("\n")
