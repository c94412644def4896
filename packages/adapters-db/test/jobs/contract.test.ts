import { hastyJobQueueContract, jobQueueContract, taskRunsContract, workerRegistryContract } from "@parley/core/testing"
import { Layer } from "effect"
import { PgTaskRunsLayer } from "../../src/background/PgTaskRuns.ts"
import { PgBossJobQueueLayer } from "../../src/jobs/PgBossJobQueue.ts"
import { PgUnitOfWorkLayer } from "../../src/storage/PgUnitOfWork.ts"
import { databases } from "../databases.ts"

const queue = PgBossJobQueueLayer({ pollingIntervalSeconds: 0.5 })
const hasty = PgBossJobQueueLayer({ pollingIntervalSeconds: 0.5, stopTimeoutMs: 100 })

for (const { name, layer } of databases) {
  jobQueueContract(name, Layer.merge(queue, PgUnitOfWorkLayer).pipe(Layer.provide(layer)))
  workerRegistryContract(name, queue.pipe(Layer.provide(layer)))
  taskRunsContract(name, PgTaskRunsLayer.pipe(Layer.provide(layer)))
  hastyJobQueueContract(name, hasty.pipe(Layer.provide(layer)))
}
