import { Effect, Layer } from "effect"
import { RequestCharge } from "../../identity/RequestCharge.ts"
import { instruments } from "../../telemetry/instruments.ts"
import { currentTraceparent } from "../../telemetry/trace.ts"
import { CreditLedger } from "../CreditLedger.ts"
import { keysOf } from "../rules/decideAll.ts"
import type { Changes, IdempotencyRecord, Operation, Refusal, View } from "../rules/LedgerState.ts"

/** Credits that were held, charged and released. */
interface Moved {
  readonly reserved: number
  readonly settled: number
  readonly released: number
}

/** A decision that was sent to the database. If the answer to its commit is lost, the commit may have succeeded. */
interface Attempt {
  /** The key of the hold that the decision opened or ended. */
  readonly key: string
  readonly changes: Changes
  readonly moved: Moved
}

/**
 * The maximum number of remembered attempts without an answer; each is remembered until the next operation on its key.
 */
const MOST_UNANSWERED = 10_000

const NOTHING: Moved = { reserved: 0, settled: 0, released: 0 }
const sum = (amounts: ReadonlyArray<number>): number => amounts.reduce((total, amount) => total + amount, 0)
const add = (one: Moved, other: Moved): Moved => ({
  reserved: one.reserved + other.reserved,
  settled: one.settled + other.settled,
  released: one.released + other.released
})

/**
 * The credits that a decision moves. A hold that appears in a record alone was opened and ended by the same decision.
 */
const movedBy = ({ open, second }: View, { closed, opened, records, transactions }: Changes): Moved => {
  const known = [open, second.open, ...opened].flatMap((each) => each?.hold ?? [])
  const atOnce = records.flatMap(({ hold, key }) =>
    hold === undefined || known.some((each) => each.key === key) ? [] : hold
  )
  const ended = [...known.filter(({ key }) => closed.includes(key)), ...atOnce]
  const settled = sum(transactions.map(({ receipt }) => receipt?.charged ?? 0))
  return {
    reserved: sum([...opened.map(({ hold }) => hold), ...atOnce].map(({ amount }) => amount)),
    settled,
    released: Math.max(0, sum(ended.map(({ amount }) => amount)) - settled)
  }
}

const isSame = (made: IdempotencyRecord, stored: IdempotencyRecord | undefined): boolean =>
  stored?.key === made.key &&
  stored.at === made.at &&
  stored.transaction?.id === made.transaction?.id &&
  stored.transaction?.amount === made.transaction?.amount

/**
 * Returns true if the stored state is the result of this attempt. A record does not name its process, so the result is
 * also true if another process ended the hold with the same charge in the same millisecond.
 */
const isCommitted = ({ changes: { opened, records } }: Attempt, { open, record, second }: View): boolean =>
  records.length > 0
    ? records.every((made) => isSame(made, record) || isSame(made, second.record))
    : opened.every(({ hold: { key }, reservationId }) =>
        [open, second.open].some((stored) => stored?.hold.key === key && stored.reservationId === reservationId)
      )

/** The attempts without an answer, by the keys of their holds. */
const makeUnanswered = () => {
  const attempts = new Map<string, Attempt>()
  const nameOf = (userId: string, key: string) => `${userId}\0${key}`
  return {
    /**
     * Removes and returns the attempts on the keys that an operation reads: the operation sees whether they were
     * committed.
     */
    take: (operation: Operation<unknown, Refusal>): ReadonlyArray<Attempt> =>
      keysOf(operation).flatMap((key) => {
        const name = nameOf(operation.userId, key)
        const found = attempts.get(name)
        attempts.delete(name)
        return found ?? []
      }),
    put: (attempt: Attempt): void => {
      if (attempts.size >= MOST_UNANSWERED) attempts.clear()
      attempts.set(nameOf(attempt.changes.account.userId, attempt.key), attempt)
    }
  }
}

/**
 * Wraps the ledger: counts the credits of holds, and adds the current trace to operations. The counts are those of an
 * operation's last decision. An operation that finds its answer stored counts nothing, unless an attempt of this
 * process stored that answer and the answer to its commit was lost. A charge is also added to the charge of the current
 * request.
 */
const counted = (ledger: CreditLedger["Service"]): CreditLedger["Service"] => {
  const unanswered = makeUnanswered()
  return {
    ...ledger,
    run: <A, E extends Refusal>(operation: Operation<A, E>) =>
      Effect.flatMap(currentTraceparent, (traceparent) => {
        const earlier = unanswered.take(operation)
        let own: Attempt | undefined
        let moved = NOTHING
        const observed: Operation<A, E> = {
          ...operation,
          traceparent,
          onMissed: () => void (own = undefined),
          decide: (view, now) => {
            const decision = operation.decide(view, now)
            moved = [...earlier, ...(own === undefined ? [] : [own])]
              .filter((attempt) => isCommitted(attempt, view))
              .reduce((total, attempt) => add(total, attempt.moved), NOTHING)
            const { changes } = decision
            const key = changes?.opened[0]?.hold.key ?? changes?.records[0]?.key
            if (changes === undefined || key === undefined) return decision
            moved = add(moved, movedBy(view, changes))
            own = { key, changes, moved }
            return decision
          }
        }
        const keep = Effect.sync(() => [...earlier, ...(own === undefined ? [] : [own])].forEach(unanswered.put))
        return Effect.tap(
          Effect.onError(ledger.run(observed), () => keep),
          () => count(moved)
        )
      })
  }
}

const count = ({ released, reserved, settled }: Moved) =>
  Effect.map(RequestCharge, (charge) => {
    if (reserved > 0) instruments.reserved.record(reserved)
    if (released > 0) instruments.released.record(released)
    if (settled === 0) return
    instruments.settled.record(settled)
    if (charge !== undefined) charge.credits += settled
  })

/** Replaces the ledger by one that counts the credits of holds. */
export const countedLedgerLayer: Layer.Layer<CreditLedger, never, CreditLedger> = Layer.effect(
  CreditLedger,
  Effect.map(CreditLedger, counted)
)
