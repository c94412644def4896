import { Context, Layer } from "effect"
import { InMemoryStorage } from "../storage/InMemoryStorage.ts"
import { type ConversationOwner, ownerKey } from "./ConversationOwner.ts"
import type { Chat, StoredMessage } from "./StoredMessage.ts"

/** A chat with all of its messages. */
export interface StoredChat {
  readonly chat: Chat
  readonly messages: ReadonlyArray<StoredMessage>
  /** The documents its last request named, and those kept with it. */
  readonly asked: ReadonlyArray<string>
  readonly kept: ReadonlyArray<string> | undefined
  /** Orders chats used within the same millisecond. */
  readonly use: number
}

/** The key of a chat: different owners' chats have different ones. */
export const keyOf = (owner: ConversationOwner, chatId: string): string => {
  const { userId, bot, visitor } = ownerKey(owner)
  return JSON.stringify([userId, bot, visitor, chatId.toLowerCase()])
}

/** The chats of one process, which the in-memory stores of chats and of running replies share. */
export class InMemoryChats extends Context.Service<InMemoryChats, Map<string, StoredChat>>()(
  "@parley/core/chat/InMemoryChats"
) {
  static readonly layer = Layer.effect(
    InMemoryChats,
    InMemoryStorage.use((storage) => storage.table<string, StoredChat>())
  ).pipe(Layer.provide(InMemoryStorage.layer))
}
