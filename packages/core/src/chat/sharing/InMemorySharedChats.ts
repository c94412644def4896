import { Clock, Effect, Layer } from "effect"
import type { UserId } from "../../identity/UserId.ts"
import { InMemoryStorage } from "../../storage/InMemoryStorage.ts"
import { InMemoryChats, keyOf } from "../store/InMemoryChats.ts"
import type { ChatShare } from "../store/StoredChat.ts"
import { SharedChats } from "./SharedChats.ts"

const make = Effect.gen(function* () {
  const storage = yield* InMemoryStorage
  const { chats } = yield* InMemoryChats

  const change = (userId: UserId, chatId: string, share: ChatShare | undefined): boolean => {
    const key = keyOf({ person: userId }, chatId)
    const stored = chats.get(key)
    if (stored === undefined) return false
    chats.set(key, { ...stored, share })
    return true
  }

  return SharedChats.of({
    share: ({ chatId, id, upTo, userId }) =>
      storage.exclusive(
        Effect.map(Clock.currentTimeMillis, (sharedAt) => {
          const stored = chats.get(keyOf({ person: userId }, chatId))
          const message = stored?.messages.find((each) => each.id === upTo.toLowerCase())
          if (stored === undefined || message === undefined) return undefined
          const share = { id: stored.share?.id ?? id, upTo: message.id, sharedAt }
          change(userId, chatId, share)
          return share
        })
      ),
    unshare: (userId, chatId) => storage.exclusive(Effect.sync(() => change(userId, chatId, undefined))),
    find: (id) =>
      storage.exclusive(
        Effect.sync(() => {
          for (const { chat, share } of chats.values()) {
            const { id: chatId, owner } = chat
            if (share?.id === id && "person" in owner) return { owner, chatId, share }
          }
          return undefined
        })
      )
  })
})

/** Shares of the chats of `InMemoryChatStore`, in the memory of one process. */
export const InMemorySharedChats = {
  layer: Layer.effect(SharedChats, make).pipe(Layer.provide(Layer.merge(InMemoryChats.layer, InMemoryStorage.layer)))
}
