import { isUuid, type JobPage, type JobQuery, type JobRecord } from "@parley/core/adapter"
import type { UserId } from "@parley/core"
import { Effect, type Schema } from "effect"
import type { Row } from "../database/Database.ts"
import type { JobParts } from "./jobParts.ts"
import type { ListedJob } from "./jobSql.ts"

/** What is told of a stored job. */
export const recordOf = ({
  createdMicros,
  dueAt,
  endedAt,
  payload,
  progress,
  startedAt,
  ...job
}: ListedJob): JobRecord => ({
  ...job,
  payload: payload as Schema.Json,
  progress: progress ?? undefined,
  createdAt: Math.floor(createdMicros / 1000),
  dueAt: dueAt ?? undefined,
  startedAt: startedAt ?? undefined,
  endedAt: endedAt ?? undefined
})

/** One owner's job of an id. */
export const findJob = ({ boss, owner: database, text }: JobParts) =>
  Effect.fnUntraced(function* (owner: UserId, jobId: string) {
    if (!isUuid(jobId)) return undefined
    yield* boss
    const [row] = yield* database.asOwner((sql) => sql.query<ListedJob & Row>(text.find, [owner, jobId]))
    return row && recordOf(row)
  })

/** A page of jobs, newest first: one owner's, or everybody's. */
export const listJobs = ({ boss, owner: database, text }: JobParts) =>
  Effect.fnUntraced(function* (owner: UserId | undefined, { after, kind, limit, state }: JobQuery) {
    yield* boss
    const [micros = null, id = null] = after?.split(".") ?? []
    const facts = [limit + 1, micros, id, kind ?? null, ...(owner === undefined ? [] : [owner])]
    const rows = yield* database.asOwner((sql) =>
      sql.query<ListedJob & Row>(text.list(state, owner !== undefined), facts)
    )
    const page = rows.slice(0, limit)
    const last = page.at(-1)
    return {
      jobs: page.map(recordOf),
      next: last === undefined || rows.length === page.length ? undefined : `${last.createdMicros}.${last.id}`
    } satisfies JobPage
  })
