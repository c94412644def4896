import { Effect, type Layer } from "effect"
import { expect, it } from "vitest"
import { MAX_IMAGE_BYTES } from "../../../chat/images/Image.ts"
import { ImageStore } from "../../../chat/images/ImageStore.ts"
import { ChatStore } from "../../../chat/store/ChatStore.ts"
import type { ChatImage } from "../../../models/ChatMessage.ts"
import { newTurn, newUserId } from "../../storage/storageFixtures.ts"
import { type Run, suiteOn } from "../../suiteOn.ts"

type Stores = ChatStore | ImageStore

/** An image with this number of bytes, whose content stores do not read. */
export const newImage = (size = 300): ChatImage => ({
  id: crypto.randomUUID(),
  mediaType: "image/png",
  width: 640,
  height: 480,
  bytes: new Uint8Array(size).map((_, place) => (place * 7) % 256)
})

const asking = (...images: ReadonlyArray<ChatImage>) => [{ role: "user" as const, content: "What is it?", images }]

const images = (run: Run<Stores>): void => {
  it("a person reads the images that they stored, in the order of the ids, and no other person does", () =>
    run(
      Effect.gen(function* () {
        const store = yield* ImageStore
        const [userId, other] = [newUserId(), newUserId()]
        const [one, two] = [newImage(), newImage(MAX_IMAGE_BYTES)]
        for (const image of [one, two]) yield* store.add(userId, image)
        const read = (...ids: ReadonlyArray<string>) => store.read(userId, ids, 2 * MAX_IMAGE_BYTES)
        expect(yield* read(two.id, crypto.randomUUID(), one.id.toUpperCase(), "no id")).toEqual([
          { ...two, chatId: undefined },
          { ...one, chatId: undefined }
        ])
        expect(yield* read()).toEqual([])
        expect(yield* store.read(other, [one.id, two.id], MAX_IMAGE_BYTES)).toEqual([])
        expect(yield* store.list(other, { after: undefined, limit: 9 })).toEqual([])
        const [first = "", second = ""] = [one.id, two.id].toSorted()
        expect(yield* store.list(userId, { after: undefined, limit: 1 })).toEqual([first])
        expect(yield* store.list(userId, { after: first, limit: 9 })).toEqual([second])
      })
    ))

  it("a read ends before the image that exceeds its bytes", () =>
    run(
      Effect.gen(function* () {
        const store = yield* ImageStore
        const userId = newUserId()
        const all = [newImage(100), newImage(100), newImage(1)]
        for (const image of all) yield* store.add(userId, image)
        const ids = all.map(({ id }) => id)
        const sizes = (maxBytes: number) => Effect.map(store.read(userId, ids, maxBytes), (read) => read.length)
        expect([yield* sizes(99), yield* sizes(199), yield* sizes(200), yield* sizes(201)]).toEqual([0, 1, 2, 3])
      })
    ))
}

const imagesOfChats = (run: Run<Stores>): void => {
  it("a message has its images, the chat takes them, and they are deleted with it", () =>
    run(
      Effect.gen(function* () {
        const chats = yield* ChatStore
        const store = yield* ImageStore
        const [userId, other] = [newUserId(), newUserId()]
        const [one, two, theirs] = [newImage(), newImage(), newImage()]
        for (const image of [one, two]) yield* store.add(userId, image)
        yield* store.add(other, theirs)
        const owner = { person: userId }
        const turn = newTurn(userId, { messages: asking(one, two) })
        yield* chats.beginTurn(turn)
        yield* chats.beginTurn(newTurn(userId, { chatId: turn.chatId, continues: true, messages: asking(theirs) }))
        const found = yield* chats.transcript({ owner, chatId: turn.chatId, limit: 9 })
        expect(found?.messages.map(({ imageIds }) => imageIds)).toEqual([
          [one.id, two.id],
          undefined,
          [theirs.id],
          undefined
        ])
        const whole = yield* chats.transcript({ owner, chatId: turn.chatId, limit: 9, branch: "all" })
        expect(whole?.messages[0]?.imageIds).toEqual([one.id, two.id])
        const chatOf = (of: string, image: ChatImage) =>
          Effect.map(store.read(of, [image.id], MAX_IMAGE_BYTES), ([read]) => read?.chatId)
        expect([yield* chatOf(userId, one), yield* chatOf(userId, two)]).toEqual([turn.chatId, turn.chatId])
        // Another person's image does not change its owner.
        expect(yield* chatOf(other, theirs)).toBe(undefined)
        // An image stays with its first chat.
        const again = newTurn(userId, { messages: asking(one) })
        yield* chats.beginTurn(again)
        expect(yield* chatOf(userId, one)).toBe(turn.chatId)
        yield* chats.remove(owner, again.chatId)
        expect(yield* chatOf(userId, one)).toBe(turn.chatId)
        yield* chats.remove(owner, turn.chatId)
        expect(yield* store.list(userId, { after: undefined, limit: 9 })).toEqual([])
        expect(yield* chatOf(userId, one)).toBe(undefined)
      })
    ))

  it("the bytes of images count towards a person's chats, before a message has them and after", () =>
    run(
      Effect.gen(function* () {
        const chats = yield* ChatStore
        const store = yield* ImageStore
        const userId = newUserId()
        const owner = { person: userId }
        const image = newImage(5_000)
        yield* store.add(userId, image)
        expect(yield* chats.usage(owner)).toBe(5_000)
        expect(yield* chats.usage({ visitor: "v", bot: "b", botOwner: userId })).toBe(0)
        const turn = newTurn(userId, { messages: asking(image) })
        yield* chats.beginTurn(turn)
        expect(yield* chats.usage(owner)).toBe(5_000 + "What is it?".length)
        yield* chats.remove(owner, turn.chatId)
        expect(yield* chats.usage(owner)).toBe(0)
      })
    ))
}

/** Tests the guarantees of an `ImageStore` with its `ChatStore`. `layer` is built once, for all tests. */
export const imageStoreContract = (name: string, layer: Layer.Layer<Stores, unknown>): void =>
  suiteOn(`ImageStore: ${name}`, layer, (run) => {
    images(run)
    imagesOfChats(run)
  })
