import { jobQueueContract } from "@parley/core/testing"
import { Layer } from "effect"
import { PgBossJobQueueLayer } from "../../src/jobs/PgBossJobQueue.ts"
import { PgUnitOfWorkLayer } from "../../src/storage/PgUnitOfWork.ts"
import { databases } from "../databases.ts"

const queue = PgBossJobQueueLayer({
  tries: 3,
  retryDelaySeconds: 0,
  pollingIntervalSeconds: 0.5,
  superviseIntervalSeconds: 1
})

for (const { name, layer } of databases) {
  jobQueueContract(name, Layer.merge(queue, PgUnitOfWorkLayer).pipe(Layer.provide(layer)), { tries: 3 })
}
