import { jobQueueContract } from "@parley/core/testing"
import { Layer } from "effect"
import { PgBossJobQueueLayer } from "../../src/jobs/PgBossJobQueue.ts"
import { PgUnitOfWorkLayer } from "../../src/storage/PgUnitOfWork.ts"
import { databases } from "../databases.ts"

const queue = Layer.merge(PgBossJobQueueLayer({ pollingIntervalSeconds: 0.5 }), PgUnitOfWorkLayer)

for (const { name, layer } of databases) jobQueueContract(name, queue.pipe(Layer.provide(layer)), 100)
