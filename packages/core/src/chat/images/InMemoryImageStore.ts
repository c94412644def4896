import { Clock, Effect, Layer } from "effect"
import type { UserId } from "../../identity/UserId.ts"
import { InMemoryStorage } from "../../storage/InMemoryStorage.ts"
import { InMemoryChats, type KeptImage } from "../store/InMemoryChats.ts"
import { ImageStore, UNUSED_IMAGE_MS } from "./ImageStore.ts"

const make = Effect.gen(function* () {
  const storage = yield* InMemoryStorage
  const { images, imageOf, imagesOf } = yield* InMemoryChats
  const atOnce = <A>(work: () => A) => storage.exclusive(Effect.sync(work))
  const keysOf = (userId: UserId) => [...images].flatMap(([key, image]) => (image.userId === userId ? [key] : []))
  yield* storage.addPersonalPart({
    count: () => ({}),
    erase: (userId) => {
      for (const key of keysOf(userId)) images.delete(key)
    }
  })

  return ImageStore.of({
    add: (userId, image) =>
      storage.exclusive(
        Effect.map(Clock.currentTimeMillis, (now) => {
          const id = image.id.toLowerCase()
          images.set(`${userId} ${id}`, { ...image, id, userId, chatId: undefined, addedAt: now })
        })
      ),
    read: (userId, imageIds, maxBytes) =>
      atOnce(() => {
        let bytes = 0
        const found = imageIds.flatMap((id) => {
          const image = imageOf(userId, id)
          if (image === undefined) return []
          const { addedAt: _at, userId: _of, ...stored } = image
          return [stored]
        })
        const end = found.findIndex((image) => (bytes += image.bytes.byteLength) > maxBytes)
        return end < 0 ? found : found.slice(0, end)
      }),
    list: (userId, { after = "", limit }) =>
      atOnce(() =>
        imagesOf(userId)
          .map(({ id }) => id)
          .filter((id) => id > after)
          .toSorted()
          .slice(0, limit)
      ),
    removeUnused: (limit) =>
      storage.exclusive(
        Effect.map(Clock.currentTimeMillis, (now) => {
          const isUnused = ({ addedAt, chatId }: KeptImage) => chatId === undefined && addedAt < now - UNUSED_IMAGE_MS
          const unused = [...images].filter(([, image]) => isUnused(image)).slice(0, limit)
          for (const [key] of unused) images.delete(key)
          return unused.length
        })
      )
  })
})

/** Images in the memory of one process, which it shares with `InMemoryChatStore`. */
export const InMemoryImageStore = {
  layer: Layer.effect(ImageStore, make).pipe(Layer.provide(Layer.merge(InMemoryChats.layer, InMemoryStorage.layer)))
}
