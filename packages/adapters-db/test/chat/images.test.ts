import { ChatStore, ImageStore, MAX_IMAGE_BYTES, UNUSED_IMAGE_MS } from "@parley/core/adapter"
import { newTurn, newUserId, suiteOn } from "@parley/core/testing"
import { Effect, Layer } from "effect"
import { expect, it } from "vitest"
import { PgChatStoreLayer } from "../../src/chat/PgChatStore.ts"
import { PgImageStoreLayer } from "../../src/chat/PgImageStore.ts"
import { Database } from "../../src/database/Database.ts"
import { storageUsage } from "../../src/inspection/storageUsage.ts"
import { databases } from "../databases.ts"

const newImage = (size: number) => ({
  id: crypto.randomUUID(),
  mediaType: "image/png" as const,
  width: 10,
  height: 10,
  bytes: new Uint8Array(size)
})

const asking = (...images: ReadonlyArray<ReturnType<typeof newImage>>) => ({
  messages: [{ role: "user" as const, content: "?", images }]
})

for (const { name, layer } of databases) {
  const stores = Layer.provideMerge(Layer.merge(PgChatStoreLayer, PgImageStoreLayer), layer)
  suiteOn(`images: ${name}`, stores, (run) => {
    it("that no message had for a day fill no quota, and a sweep deletes them", () =>
      run(
        Effect.gen(function* () {
          const { schema, statement } = yield* Database
          const [chats, images] = [yield* ChatStore, yield* ImageStore]
          const userId = newUserId()
          const [used, unused] = [newImage(500), newImage(300)]
          for (const image of [used, unused]) yield* images.add(userId, image)
          yield* chats.beginTurn(newTurn(userId, asking(used)))
          const usage = chats.usage({ person: userId })
          expect(yield* usage).toBe(801)
          yield* statement(
            `UPDATE ${schema}.chat_images SET created_at = now() - $2 * interval '1 millisecond' WHERE user_id = $1`,
            [userId, UNUSED_IMAGE_MS + 60_000]
          )
          expect(yield* usage).toBe(501)
          expect(yield* images.removeUnused(9)).toBe(1)
          expect(yield* images.removeUnused(9)).toBe(0)
          expect(yield* images.list(userId, { after: undefined, limit: 9 })).toEqual([used.id])
        })
      ))

    it("are fenced by the database: a person's role reads, takes and writes none of another person", () =>
      run(
        Effect.gen(function* () {
          const { schema, statementAsUser } = yield* Database
          const images = yield* ImageStore
          const [owner, other] = [newUserId(), newUserId()]
          const image = newImage(10)
          yield* images.add(owner, image)
          const asOther = (text: string) => statementAsUser(other, text)
          expect(yield* asOther(`SELECT id FROM ${schema}.chat_images`)).toEqual([])
          expect(yield* asOther(`UPDATE ${schema}.chat_images SET width = 1 RETURNING id`)).toEqual([])
          expect(yield* asOther(`DELETE FROM ${schema}.chat_images RETURNING id`)).toEqual([])
          const written = yield* Effect.flip(
            asOther(
              `INSERT INTO ${schema}.chat_images (user_id, id, media_type, width, height, bytes)
               VALUES ('${owner}', gen_random_uuid(), 'image/png', 1, 1, '')`
            )
          )
          expect(written.sqlState).toBe("42501")
          expect(yield* images.read(owner, [image.id], MAX_IMAGE_BYTES)).toHaveLength(1)
        })
      ))

    it("that several chats name at once, in any order, become those of one", () =>
      run(
        Effect.gen(function* () {
          const [chats, images] = [yield* ChatStore, yield* ImageStore]
          const userId = newUserId()
          const all = Array.from({ length: 4 }, () => newImage(10))
          for (const image of all) yield* images.add(userId, image)
          const turns = Array.from({ length: 10 }, (_, place) =>
            newTurn(userId, asking(...(place % 2 === 0 ? all : all.toReversed())))
          )
          yield* Effect.all(turns.map(chats.beginTurn), { concurrency: "unbounded" })
          const ids = all.map(({ id }) => id)
          const read = yield* images.read(userId, ids, MAX_IMAGE_BYTES)
          const [first] = read
          expect(turns.map(({ chatId }) => chatId)).toContain(first?.chatId)
          expect(read.map(({ chatId }) => chatId)).toEqual(read.map(() => first?.chatId))
        })
      ))

    it("are part of what a person stores, as operators see it", () =>
      run(
        Effect.gen(function* () {
          const images = yield* ImageStore
          const userId = newUserId()
          yield* images.add(userId, newImage(1_234_567))
          const { people } = yield* storageUsage({ people: 100 })
          expect(people.find((each) => each.userId === userId)).toEqual({ userId, files: 1_234_567, texts: 0 })
        })
      ))
  })
}
