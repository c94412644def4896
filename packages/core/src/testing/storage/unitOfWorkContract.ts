import { Deferred, Effect, Fiber, type Layer } from "effect"
import { expect, it } from "vitest"
import { ChatStore } from "../../chat/store/ChatStore.ts"
import { DocumentStore } from "../../documents/storing/DocumentStore.ts"
import { FileStore } from "../../documents/storing/FileStore.ts"
import { UnitOfWork } from "../../storage/UnitOfWork.ts"
import { ampleQuota, newDocument, newTurn, newUserId } from "./storageFixtures.ts"
import { type Run, suiteOn } from "../suiteOn.ts"

type Stores = ChatStore | DocumentStore | FileStore | UnitOfWork

/** The owner of the units of work. */
const owner = newUserId()

/** One write into each store, and a function that checks which of the writes are stored. */
const writes = () => {
  const userId = owner
  const document = newDocument(userId)
  const turn = newTurn(userId)
  const write = Effect.gen(function* () {
    yield* (yield* DocumentStore).insert(document, ampleQuota)
    yield* (yield* FileStore).write({ userId, documentId: document.id, bytes: new Uint8Array([1, 2, 3]) })
    yield* (yield* ChatStore).beginTurn(turn)
  })
  const stored = Effect.gen(function* () {
    const documents = yield* (yield* DocumentStore).find(userId, [document.id])
    const bytes = yield* (yield* FileStore).read({ userId, documentId: document.id })
    const chat = yield* (yield* ChatStore).transcript({ owner: turn.owner, chatId: turn.chatId, limit: 10 })
    return [documents.length, bytes?.byteLength ?? 0, chat?.messages.length ?? 0]
  })
  return { write, stored }
}

const all = [1, 3, 2]
const none = [0, 0, 0]

const committing = (run: Run<Stores>) => {
  it("the writes of a unit are stored when it has succeeded, and its answer passes", () =>
    run(
      Effect.gen(function* () {
        const unit = yield* UnitOfWork
        const { write, stored } = writes()
        expect(yield* unit.run(owner, Effect.as(write, "done"))).toBe("done")
        expect(yield* stored).toEqual(all)
      })
    ))

  it("a unit sees its own writes", () =>
    run(
      Effect.gen(function* () {
        const unit = yield* UnitOfWork
        const { write, stored } = writes()
        expect(yield* unit.run(owner, Effect.andThen(write, stored))).toEqual(all)
      })
    ))

  it("a unit inside a unit commits with the outer one", () =>
    run(
      Effect.gen(function* () {
        const unit = yield* UnitOfWork
        const [outer, inner] = [writes(), writes()]
        yield* unit.run(owner, Effect.andThen(outer.write, unit.run(owner, inner.write)))
        expect([yield* outer.stored, yield* inner.stored]).toEqual([all, all])
      })
    ))

  it("units at the same moment all commit", () =>
    run(
      Effect.gen(function* () {
        const unit = yield* UnitOfWork
        const each = Array.from({ length: 12 }, writes)
        yield* Effect.all(
          each.map(({ write }) => unit.run(owner, write)),
          { concurrency: "unbounded" }
        )
        for (const { stored } of each) expect(yield* stored).toEqual(all)
      })
    ))
}

const undoing = (run: Run<Stores>) => {
  it("a unit that fails leaves nothing behind, and its failure passes", () =>
    run(
      Effect.gen(function* () {
        const unit = yield* UnitOfWork
        const { write, stored } = writes()
        const failure = yield* Effect.flip(unit.run(owner, Effect.andThen(write, Effect.fail("refused" as const))))
        expect(failure).toBe("refused")
        expect(yield* stored).toEqual(none)
      })
    ))

  it("a unit that dies leaves nothing behind", () =>
    run(
      Effect.gen(function* () {
        const unit = yield* UnitOfWork
        const { write, stored } = writes()
        const exit = yield* Effect.exit(unit.run(owner, Effect.andThen(write, Effect.die(new Error("a bug")))))
        expect(exit._tag).toBe("Failure")
        expect(yield* stored).toEqual(none)
      })
    ))

  it("a unit that is interrupted leaves nothing behind", () =>
    run(
      Effect.gen(function* () {
        const unit = yield* UnitOfWork
        const { write, stored } = writes()
        const written = yield* Deferred.make<void>()
        const work = Effect.gen(function* () {
          yield* write
          yield* Deferred.succeed(written, undefined)
          return yield* Effect.never
        })
        const fiber = yield* Effect.forkChild(unit.run(owner, work))
        yield* Deferred.await(written)
        yield* Fiber.interrupt(fiber)
        expect(yield* stored).toEqual(none)
      })
    ))

  it("an inner unit is undone with the outer one", () =>
    run(
      Effect.gen(function* () {
        const unit = yield* UnitOfWork
        const { write, stored } = writes()
        yield* Effect.flip(unit.run(owner, Effect.andThen(unit.run(owner, write), Effect.fail("later"))))
        expect(yield* stored).toEqual(none)
      })
    ))

  it("a failed part fails the whole, even if its failure was ignored", () =>
    run(
      Effect.gen(function* () {
        const unit = yield* UnitOfWork
        const { write, stored } = writes()
        const swallowing = Effect.andThen(write, Effect.ignore(unit.run(owner, Effect.fail("inner"))))
        const failure = yield* Effect.flip(unit.run(owner, swallowing))
        expect(failure).toMatchObject({ _tag: "StorageFailed", retryable: false })
        expect(yield* stored).toEqual(none)
      })
    ))

  it("after a failed unit the stores work on", () =>
    run(
      Effect.gen(function* () {
        const unit = yield* UnitOfWork
        const { write, stored } = writes()
        yield* Effect.flip(unit.run(owner, Effect.andThen(write, Effect.fail("first try"))))
        yield* unit.run(owner, write)
        expect(yield* stored).toEqual(all)
      })
    ))
}

/** Tests the guarantees of a `UnitOfWork` over the stores of the same adapter. `layer` is built once, for all tests. */
export const unitOfWorkContract = (name: string, layer: Layer.Layer<Stores, unknown>): void =>
  suiteOn(`UnitOfWork: ${name}`, layer, (run) => {
    committing(run)
    undoing(run)
  })
