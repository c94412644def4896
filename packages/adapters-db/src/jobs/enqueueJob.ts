import { currentTraceparent, type JobKind, twinOf } from "@parley/core/adapter"
import type { UserId } from "@parley/core"
import { Effect, Schema } from "effect"
import type { DatabaseError } from "../database/Database.ts"
import { callBoss, type JobParts, joinedDatabase } from "./startBoss.ts"
import { JOBS_QUEUE, type StoredJob } from "./jobSql.ts"

/** A job that is to be enqueued. `id` is set if the job was enqueued before. */
export type JobToSend = Pick<StoredJob, "kind" | "payload" | "owner" | "twin" | "retryLimit" | "traceparent"> & {
  readonly id?: string
  readonly retried?: boolean
}

/** Returns a new job of `kind` in the form in which it is stored. */
export const jobToSend = <Payload>(
  owner: UserId,
  kind: JobKind<string, Payload>,
  payload: Payload
): Effect.Effect<JobToSend> =>
  Effect.gen(function* () {
    return {
      kind: kind.tag,
      payload: yield* Effect.orDie(Schema.encodeEffect(kind.payload)(payload)),
      owner,
      twin: twinOf(owner, kind, payload),
      retryLimit: kind.tries - 1,
      traceparent: (yield* currentTraceparent) ?? null
    }
  })

/** Inserts a job within the surrounding transaction. Returns its id, or undefined if a twin is waiting or running. */
export const sendJob = ({ boss, owner: database }: JobParts) =>
  Effect.fnUntraced(function* ({ id, kind, owner, payload, retried, retryLimit, traceparent, twin }: JobToSend) {
    const queue = yield* boss
    const db = yield* joinedDatabase(database)
    const data = {
      kind,
      payload,
      ...(retried === true ? { retried } : {}),
      ...(traceparent === null ? {} : { traceparent })
    }
    const options = { singletonKey: twin, group: { id: owner }, retryLimit, db, ...(id === undefined ? {} : { id }) }
    return (yield* callBoss(() => queue.send(JOBS_QUEUE, data, options))) ?? undefined
  })

/**
 * Makes the job run after this transaction has committed; returns the id of the job that does the work. If a twin is
 * waiting, its row is locked until the commit, so that no worker takes it before. If a twin is running, it is marked,
 * and its end enqueues another run.
 */
export const enqueueJob = (parts: JobParts) => {
  const { boss, owner, text, wake } = parts
  const send = sendJob(parts)
  return Effect.fnUntraced(function* (job: JobToSend): Effect.fn.Return<string, DatabaseError> {
    yield* boss
    const id = yield* owner.asOwner((sql) =>
      Effect.gen(function* () {
        for (;;) {
          const [twin] = yield* sql.query<{ id: string; state: string }>(text.lockTwin, [job.twin])
          if (twin?.state === "active") yield* sql.query(text.askAgain, [twin.id])
          if (twin !== undefined) return twin.id
          const id = yield* send(job)
          // Nothing was inserted if a twin was committed in between: the next round finds that twin.
          if (id !== undefined) return id
        }
      })
    )
    yield* owner.afterCommit(wake)
    return id
  })
}
