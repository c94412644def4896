import { causeCode, type SilenceWatch } from "@parley/core/adapter"
import { Effect } from "effect"
import type pg from "pg"
import { DatabaseError, noAnswer } from "../Database.ts"
import { isAnswer } from "../../outages/watchServer.ts"
import { INTERRUPT_GRACE_MS } from "../limits.ts"
import type { PgPool } from "./PgPool.ts"
import { isConnectionLost, isReadOnly, toDatabaseError } from "../toDatabaseError.ts"

/** A client on loan from the pool. */
export interface Loan {
  readonly pool: PgPool
  readonly silence: SilenceWatch
  client: pg.PoolClient | undefined
  /** The borrower left while waiting: return the client as soon as it arrives. */
  abandoned: boolean
  broken: boolean
}

export const giveBack = (loan: Loan): void => {
  if (loan.client === undefined) return
  if (loan.broken) loan.pool.drop(loan.client)
  else loan.pool.giveBack(loan.client)
  loan.client = undefined
}

/** Waits for a client. Waiting can be interrupted. */
export const borrow = (loan: Loan): Effect.Effect<pg.PoolClient, DatabaseError> =>
  Effect.callback((resume) => {
    const asked = loan.silence.ask()
    loan.pool.take().then(
      (client) => {
        asked.leave()
        loan.client = client
        if (loan.abandoned) giveBack(loan)
        else resume(Effect.succeed(client))
      },
      (cause) => {
        if (isAnswer(cause)) asked.answered()
        asked.leave()
        resume(Effect.fail(toDatabaseError(cause)))
      }
    )
    return Effect.sync(() => {
      asked.leave()
      loan.abandoned = true
    })
  })

const settledWithin = (running: Promise<unknown>, milliseconds: number): Promise<boolean> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), milliseconds)
    const settled = () => {
      clearTimeout(timer)
      resolve(true)
    }
    running.then(settled, settled)
  })

/** Cancels in the server the statement on which this client gave up, and has the connection closed. */
const giveUp = async (loan: Loan): Promise<void> => {
  loan.broken = true
  loan.pool.doubtIdle()
  // Before the connection is dropped: a pooler knows the statement by it.
  if (loan.client !== undefined) await loan.pool.cancel(loan.client)
}

const silent = (milliseconds: number) =>
  new DatabaseError({ cause: noAnswer(`The database did not answer within ${milliseconds} ms.`) })

/**
 * Sends what `start` sends and waits for its end, for `limitMs` at most: then it is cancelled, and the connection
 * dropped. Interrupted, the end is awaited for a second, and cancelled likewise.
 */
export const send = <A>(loan: Loan, limitMs: number, start: () => Promise<A>): Effect.Effect<A, DatabaseError> =>
  Effect.callback((resume) => {
    const asked = loan.silence.ask()
    const running = start()
    const timer = setTimeout(() => {
      asked.leave()
      void giveUp(loan).then(() => resume(Effect.fail(silent(limitMs))))
    }, limitMs)
    running.then(
      (value) => {
        clearTimeout(timer)
        asked.answered()
        resume(Effect.succeed(value))
      },
      (cause) => {
        clearTimeout(timer)
        if (causeCode(cause) === "ETIMEDOUT") asked.leave()
        else asked.answered()
        if (isReadOnly(cause)) loan.pool.doubtIdle()
        loan.broken ||= isConnectionLost(cause) || isReadOnly(cause)
        resume(Effect.fail(toDatabaseError(cause)))
      }
    )
    return Effect.promise(async () => {
      clearTimeout(timer)
      asked.leave()
      if (!(await settledWithin(running, INTERRUPT_GRACE_MS))) await giveUp(loan)
    })
  })
