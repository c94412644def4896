import { Clock, Effect, Layer } from "effect"
import type { UserId } from "../../identity/UserId.ts"
import { InMemoryStorage } from "../../storage/InMemoryStorage.ts"
import { InMemoryChats, inProject, keyOf } from "../store/InMemoryChats.ts"
import { ownerKey } from "../store/StoredChat.ts"
import type { Project } from "./Project.ts"
import { ProjectStore } from "./ProjectStore.ts"

const make = Effect.gen(function* () {
  const storage = yield* InMemoryStorage
  const { chats, projects } = yield* InMemoryChats
  const ofPerson = (userId: UserId) => projects.get(userId) ?? []
  const find = (userId: UserId, id: string) => ofPerson(userId).find((each) => each.id === id.toLowerCase())
  const atOnce = <A>(work: () => A) => storage.exclusive(Effect.sync(work))
  yield* storage.addPersonalPart({ count: () => ({}), erase: (userId) => void projects.delete(userId) })

  return ProjectStore.of({
    list: (userId) => atOnce(() => ofPerson(userId).toReversed()),
    get: (userId, id) => atOnce(() => find(userId, id)),
    create: (userId, project, most) =>
      storage.exclusive(
        Effect.map(Clock.currentTimeMillis, (createdAt) => {
          const others = ofPerson(userId)
          if (others.length >= most) return undefined
          const stored: Project = { ...project, createdAt }
          projects.set(userId, [...others, stored])
          return stored
        })
      ),
    change: (userId, id, change) =>
      atOnce(() => {
        const stored = find(userId, id)
        if (stored === undefined) return undefined
        const changed = { ...stored, ...change }
        projects.set(
          userId,
          ofPerson(userId).map((each) => (each === stored ? changed : each))
        )
        return changed
      }),
    remove: (userId, id) =>
      atOnce(() => {
        const stored = find(userId, id)
        if (stored === undefined) return false
        projects.set(
          userId,
          ofPerson(userId).filter((each) => each !== stored)
        )
        for (const [key, each] of chats) {
          const isIn = each.chat.projectId === stored.id && ownerKey(each.chat.owner).userId === userId
          if (isIn) chats.set(key, { ...each, chat: inProject(each.chat, undefined) })
        }
        return true
      }),
    place: (userId, chatId, projectId) =>
      atOnce(() => {
        const key = keyOf({ person: userId }, chatId)
        const stored = chats.get(key)
        if (stored === undefined) return undefined
        const chat = inProject(stored.chat, projectId === null ? undefined : find(userId, projectId)?.id)
        chats.set(key, { ...stored, chat })
        return chat
      })
  })
})

/** Projects in the memory of one process, which it shares with `InMemoryChatStore`. */
export const InMemoryProjectStore = {
  layer: Layer.effect(ProjectStore, make).pipe(Layer.provide(Layer.merge(InMemoryChats.layer, InMemoryStorage.layer)))
}
