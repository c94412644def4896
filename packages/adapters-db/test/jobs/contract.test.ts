import { hastyJobQueueContract, jobQueueContract, taskRunsContract, workerRegistryContract } from "@parley/core/testing"
import { Layer } from "effect"
import { PgTaskRunsLayer } from "../../src/background/PgTaskRuns.ts"
import { PgBossJobQueueLayer } from "../../src/jobs/PgBossJobQueue.ts"
import { PgUnitOfWorkLayer } from "../../src/storage/PgUnitOfWork.ts"
import { builtOnce } from "../builtOnce.ts"
import { databases } from "../databases.ts"

const queue = PgBossJobQueueLayer({ pollingIntervalSeconds: 0.5 })
const hasty = PgBossJobQueueLayer({ pollingIntervalSeconds: 0.5, stopTimeoutMs: 100 })

for (const { name, layer } of databases) {
  const shared = builtOnce(layer)
  // `deployments.test.ts` runs this one on Postgres.
  if (name === "PGlite") jobQueueContract(name, Layer.merge(queue, PgUnitOfWorkLayer).pipe(Layer.provide(shared)))
  workerRegistryContract(name, queue.pipe(Layer.provide(layer)))
  taskRunsContract(name, PgTaskRunsLayer.pipe(Layer.provide(shared)))
  hastyJobQueueContract(name, hasty.pipe(Layer.provide(layer)))
}
