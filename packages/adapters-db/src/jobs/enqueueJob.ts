import type { Job } from "@parley/core"
import { Effect } from "effect"
import type { DatabaseError } from "../database/Database.ts"
import { callBoss, type JobParts, joinedDatabase } from "./jobParts.ts"
import { DOCUMENTS_QUEUE } from "./startBoss.ts"

/**
 * Has a run of the job begin after this transaction has committed. Where the job waits already, its row is kept until
 * then, so that no worker takes it before; where it runs, it is marked, and whoever ends that run starts another.
 */
export const enqueueJob = ({ boss, owner, text, wake }: JobParts) =>
  Effect.fnUntraced(function* ({ documentId, userId }: Omit<Job, "_tag">): Effect.fn.Return<void, DatabaseError> {
    const queue = yield* boss
    yield* owner.asOwner((sql) =>
      Effect.gen(function* () {
        const db = yield* joinedDatabase(owner)
        const options = { singletonKey: documentId, group: { id: userId }, db }
        for (;;) {
          const [twin] = yield* sql.query<{ id: string; state: string }>(text.lockTwin, [documentId])
          if (twin?.state === "active") yield* sql.query(text.askAgain, [twin.id])
          if (twin !== undefined) return
          const id = yield* callBoss(() => queue.send(DOCUMENTS_QUEUE, { documentId, userId }, options))
          // Nothing is inserted beside a twin that was committed in between: look at that one.
          if (id !== null) return
        }
      })
    )
    yield* owner.afterCommit(wake)
  })
