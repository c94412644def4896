/** Documents in work whose job is lost: found, and enqueued once, also while other jobs wait. */
import {
  DocumentRequeue,
  DocumentStore,
  jobHandler,
  JobQueue,
  ProcessDocument,
  ReindexStore,
  UnitOfWork
} from "@parley/core/adapter"
import { ampleQuota, newDocument, newUserId, type Run, suiteOn } from "@parley/core/testing"
import { Deferred, Effect, Layer, Queue } from "effect"
import { expect, it } from "vitest"
import { Database } from "../../src/database/Database.ts"
import { PgDocumentStoreLayer } from "../../src/documents/storing/PgDocumentStore.ts"
import { PgReindexStoreLayer } from "../../src/documents/indexing/PgReindexStore.ts"
import { PgBossJobQueueLayer } from "../../src/jobs/PgBossJobQueue.ts"
import { PgUnitOfWorkLayer } from "../../src/storage/PgUnitOfWork.ts"
import { databases } from "../databases.ts"

type Parts = Database | DocumentRequeue | DocumentStore | JobQueue | ReindexStore | UnitOfWork

const ports = Layer.mergeAll(
  PgBossJobQueueLayer({ pollingIntervalSeconds: 0.5 }),
  PgDocumentStoreLayer,
  PgReindexStoreLayer,
  PgUnitOfWorkLayer
)

/** Works on document jobs; returns the ids of their documents as they come. */
const documentsWorkedOn = Effect.gen(function* () {
  const jobs = yield* JobQueue
  const documents = yield* DocumentStore
  const worked = yield* Queue.unbounded<string>()
  yield* jobs.work([
    jobHandler(ProcessDocument, ({ owner, payload: { documentId } }) =>
      Effect.andThen(
        documents.update(owner, documentId, ["processing"], { status: "ready", progress: 1 }),
        Queue.offer(worked, documentId)
      )
    )
  ])
  return worked
})

const requeueing = (run: Run<Parts>) => {
  it("a document left without a job is processed; one that is ready, waits or runs gets none", () =>
    run(
      Effect.gen(function* () {
        const jobs = yield* JobQueue
        const documents = yield* DocumentStore
        const unit = yield* UnitOfWork
        const { requeue } = yield* DocumentRequeue
        const ann = newUserId()
        const [running, waiting, lost] = [newDocument(ann), newDocument(ann), newDocument(newUserId())]
        const ready = newDocument(ann, { status: "ready", progress: 1 })
        for (const document of [running, waiting, lost, ready]) yield* documents.insert(document, ampleQuota)
        const [started, finish] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        yield* jobs.enqueue(ann, ProcessDocument, { documentId: running.id })
        const worked: Array<string> = []
        yield* jobs.work([
          jobHandler(ProcessDocument, ({ owner, payload: { documentId } }) =>
            Effect.gen(function* () {
              worked.push(documentId)
              yield* Deferred.succeed(started, undefined)
              yield* Deferred.await(finish)
              yield* documents.update(owner, documentId, ["processing"], { status: "ready", progress: 1 })
            })
          )
        ])
        yield* Deferred.await(started)
        // Nothing is taken from the queue before this has committed.
        const found = unit.run(
          ann,
          Effect.andThen(jobs.enqueue(ann, ProcessDocument, { documentId: waiting.id }), requeue)
        )
        expect(yield* found).toBe(1)
        expect(yield* requeue).toBe(0)
        yield* Deferred.succeed(finish, undefined)
        while ((yield* documents.listByStatus({ status: "processing", limit: 1 })).rows.length > 0)
          yield* Effect.sleep("20 millis")
        expect(worked.toSorted()).toEqual([running.id, waiting.id, lost.id].toSorted())
        expect(yield* requeue).toBe(0)
      })
    ))

  it("runs of re-indexing that were not continued for a week are forgotten, younger ones are not", () =>
    run(
      Effect.gen(function* () {
        const store = yield* ReindexStore
        const { schema, statement } = yield* Database
        const runs = () => statement(`SELECT scope FROM ${schema}.reindex_runs ORDER BY scope`)
        for (const scope of ["old", "young"]) yield* store.begin({ scope, restart: false })
        yield* statement(
          `UPDATE ${schema}.reindex_runs SET begun_at = begun_at - CASE scope WHEN 'old' THEN interval '7 days' ELSE interval '6 days' END`
        )
        const { run } = yield* DocumentRequeue
        yield* Effect.raceFirst(
          run,
          Effect.repeat(Effect.andThen(Effect.sleep("20 millis"), runs()), { until: (found) => found.length === 1 })
        )
        expect(yield* runs()).toEqual([{ scope: "young" }])
        yield* store.end("young")
      })
    ))

  it("documents behind more than a batch of others that wait are found too", () =>
    run(
      Effect.gen(function* () {
        const jobs = yield* JobQueue
        const documents = yield* DocumentStore
        const unit = yield* UnitOfWork
        const { requeue } = yield* DocumentRequeue
        const owner = newUserId()
        const all = Array.from({ length: 110 }, () => newDocument(owner))
        const lost = all.toSorted((a, b) => (a.id < b.id ? -1 : 1)).at(-1)!
        yield* unit.run(
          owner,
          Effect.forEach(all, (document) =>
            Effect.gen(function* () {
              yield* documents.insert(document, ampleQuota)
              if (document.id !== lost.id) yield* jobs.enqueue(owner, ProcessDocument, { documentId: document.id })
            })
          )
        )
        expect(yield* requeue).toBe(1)
        const worked = yield* documentsWorkedOn
        const ids = yield* Effect.forEach(all, () => Queue.take(worked))
        expect(ids.toSorted()).toEqual(all.map(({ id }) => id).toSorted())
      })
    ))
}

for (const { name, layer } of databases) {
  const layers = DocumentRequeue.layer.pipe(Layer.provideMerge(ports), Layer.provideMerge(layer))
  suiteOn(`Documents without a job, on ${name}`, layers, requeueing)
}
