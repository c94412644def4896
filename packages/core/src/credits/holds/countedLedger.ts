import { Effect, Layer } from "effect"
import { RequestCharge } from "../../identity/RequestCharge.ts"
import { instruments } from "../../telemetry/instruments.ts"
import { currentTraceparent } from "../../telemetry/trace.ts"
import { CreditLedger } from "../CreditLedger.ts"
import type { Changes, Operation, Refusal, View } from "../rules/LedgerState.ts"

const sum = (amounts: ReadonlyArray<number>): number => amounts.reduce((total, amount) => total + amount, 0)

/** The credits that a decision holds, charges and gives back. */
const movedBy = ({ open, second }: View, { closed, opened, transactions }: Changes) => {
  const known = [open, second.open, ...opened].flatMap((each) => each?.hold ?? [])
  const ended = sum(known.filter(({ key }) => closed.includes(key)).map(({ amount }) => amount))
  const settled = sum(transactions.map(({ receipt }) => receipt?.charged ?? 0))
  return { reserved: sum(opened.map(({ hold }) => hold.amount)), settled, released: Math.max(0, ended - settled) }
}

/**
 * The ledger, whose holds are counted and whose operations know their trace: as each operation was decided last, so that an operation that found its answer
 * stored counts nothing. A charge is also added to that of the current request.
 */
const counted = (ledger: CreditLedger["Service"]): CreditLedger["Service"] => ({
  ...ledger,
  run: <A, E extends Refusal>(operation: Operation<A, E>) =>
    Effect.flatMap(currentTraceparent, (traceparent) => {
      let moved: ReturnType<typeof movedBy> | undefined
      const observed: Operation<A, E> = {
        ...operation,
        traceparent,
        decide: (view, now) => {
          const decision = operation.decide(view, now)
          moved = decision.changes === undefined ? undefined : movedBy(view, decision.changes)
          return decision
        }
      }
      return Effect.tap(ledger.run(observed), () => (moved === undefined ? Effect.void : count(moved)))
    })
})

const count = ({ released, reserved, settled }: ReturnType<typeof movedBy>) =>
  Effect.map(RequestCharge, (charge) => {
    if (reserved > 0) instruments.reserved.record(reserved)
    if (released > 0) instruments.released.record(released)
    if (settled === 0) return
    instruments.settled.record(settled)
    if (charge !== undefined) charge.credits += settled
  })

/** Replaces the ledger by one whose holds are counted. */
export const countedLedgerLayer: Layer.Layer<CreditLedger, never, CreditLedger> = Layer.effect(
  CreditLedger,
  Effect.map(CreditLedger, counted)
)
