import { Effect } from "effect"
import { Database } from "../database/Database.ts"
import { DatabaseOwner } from "../database/DatabaseOwner.ts"
import { toDatabaseError } from "../database/toDatabaseError.ts"
import { startBoss } from "./startBoss.ts"

/** Brings the job queue's own schema up to date, as its first use would do otherwise. */
export const installJobQueue = Effect.gen(function* () {
  const { driver } = yield* Database
  const owner = yield* DatabaseOwner
  yield* Effect.tryPromise({
    try: async () => (await startBoss(owner, driver, {})).stop({ graceful: false }),
    catch: toDatabaseError
  })
})
