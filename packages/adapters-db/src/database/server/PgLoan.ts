import { causeCode, type SilenceWatch } from "@parley/core/adapter"
import { Effect } from "effect"
import type pg from "pg"
import { DatabaseError, noAnswer } from "../Database.ts"
import { isAnswer } from "../../outages/watchServer.ts"
import { INTERRUPT_GRACE_MS } from "../limits.ts"
import type { PgPool } from "./PgPool.ts"
import { isConnectionLost, isReadOnly, toDatabaseError } from "../toDatabaseError.ts"

/** A client that was borrowed from the pool, or is being waited for. */
export interface Loan {
  readonly pool: PgPool
  readonly silence: SilenceWatch
  client: pg.PoolClient | undefined
  /** True if the borrower was interrupted while it waited: the client is then returned as soon as it arrives. */
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

/**
 * Asks the server to cancel the statement that the client has given up on, and marks the connection as broken, so that
 * it is closed.
 */
const giveUp = async (loan: Loan): Promise<void> => {
  loan.broken = true
  loan.pool.doubtIdle()
  // The statement is cancelled before the connection is closed, because a pooler identifies the statement by the
  // connection.
  if (loan.client !== undefined) await loan.pool.cancel(loan.client)
}

const silent = (milliseconds: number) =>
  new DatabaseError({ cause: noAnswer(`The database did not answer within ${milliseconds} ms.`) })

/**
 * Sends the request of `start`, and waits for its end. After `limitMs` the request is cancelled and the connection
 * closed. If the fiber is interrupted, the request has one more second before it is cancelled in the same way.
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
