import { Effect } from "effect"
import type { UserId } from "../../identity/UserId.ts"
import { RANDOM_KEY, randomKey } from "../../storage/randomKey.ts"
import { TRANSCRIPT_MESSAGES } from "../prepareReply.ts"
import { ChatStore } from "../store/ChatStore.ts"
import type { ChatShare, StoredMessage } from "../store/StoredChat.ts"
import { ChatNotFound, InvalidChatChange } from "../errors.ts"
import { AccessList } from "../../sessions/AccessList.ts"
import { SharedChats } from "./SharedChats.ts"

const PATTERN = new RegExp(`^${RANDOM_KEY}$`)

/** A shared branch of a chat, in the form that anyone with its link can read. */
export interface SharedChat {
  readonly title: string
  readonly share: ChatShare
  /** The newest ended messages of the branch, at most 500, oldest first; without messages of the role `system`. */
  readonly messages: ReadonlyArray<StoredMessage>
}

const isEnded = ({ state }: StoredMessage): boolean => state !== "streaming"

/** Makes the operations on shared chats. */
export const makeShareChats = Effect.gen(function* () {
  const chats = yield* ChatStore
  const shares = yield* SharedChats
  const { checkPerson } = yield* AccessList

  /** Returns the last ended message of the branch with `leaf`, or of the newest branch. */
  const lastEnded = Effect.fnUntraced(function* (userId: UserId, chatId: string, leaf: string | undefined) {
    const branch = leaf === undefined ? undefined : { through: leaf }
    const found = yield* chats.transcript({ owner: { person: userId }, chatId, branch, limit: 10 })
    if (found === undefined) return yield* new ChatNotFound({ chatId })
    const last = found.messages.findLast(isEnded)
    if (last !== undefined) return last.id
    return yield* new InvalidChatChange({ issues: [{ path: "leaf", message: "Expected a message of the chat" }] })
  })

  const share = Effect.fn("ChatService.share")(function* (userId: UserId, chatId: string, leaf?: string) {
    const upTo = yield* lastEnded(userId, chatId, leaf)
    const shared = yield* shares.share({ userId, chatId, upTo, id: yield* randomKey })
    return shared ?? (yield* new ChatNotFound({ chatId }))
  })

  const unshare = Effect.fn("ChatService.unshare")(function* (userId: UserId, chatId: string) {
    if (!(yield* shares.unshare(userId, chatId))) return yield* new ChatNotFound({ chatId })
  })

  const shared = Effect.fn("ChatService.shared")(function* (id: string) {
    const found = PATTERN.test(id) ? yield* shares.find(id) : undefined
    if (found === undefined) return undefined
    const { chatId, owner, share: current } = found
    // The share of a blocked owner is treated as missing, so that a link does not reveal the block.
    const isBlocked = yield* checkPerson(owner.person).pipe(
      Effect.as(false),
      Effect.catchTag("UserBlocked", () => Effect.succeed(true))
    )
    if (isBlocked) return undefined
    const branch = { upTo: current.upTo }
    const read = yield* chats.transcript({ owner, chatId, branch, limit: TRANSCRIPT_MESSAGES })
    if (read === undefined) return undefined
    const messages = read.messages.filter((each) => isEnded(each) && each.role !== "system")
    return { title: read.chat.title, share: current, messages } satisfies SharedChat
  })

  return { share, unshare, shared }
})
