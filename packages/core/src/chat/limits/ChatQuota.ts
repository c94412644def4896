import { Context, Effect, Layer } from "effect"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import type { Tier } from "../../tiers/Tier.ts"
import { ChatStore } from "../store/ChatStore.ts"
import { type ConversationOwner, ownerKey } from "../store/StoredChat.ts"
import { StorageQuotaExceeded } from "../errors.ts"

/**
 * The most bytes that a person may store between two reads of the quota, and the largest part of the quota for that.
 */
const SLACK_BYTES = 64 * 1024
const SLACK_SHARE = 1 / 16
/** Owners remembered. */
const REMEMBERED = 10_000

interface Known {
  /** The bytes of the chats when they were last read; undefined if they were not. */
  readonly read: number | undefined
  /** The bytes admitted since then. */
  readonly since: number
}

/**
 * The key under which the bytes of an owner are counted: a person's own chats, or the conversations of all visitors of
 * their bots.
 */
const countedAs = (owner: ConversationOwner): string => {
  const { userId, visitor } = ownerKey(owner)
  return `${visitor === "" ? "own" : "visitors"} ${userId}`
}

/**
 * Bounds the bytes of a person's chats by the payer's tier, and separately, with the same bound, the bytes of the
 * conversations of the visitors of all their bots: neither uses the room of the other. It reads the stored bytes only
 * now and then, so that ordinary messages cost no statement: a person can exceed the quota by the slack, in each
 * process.
 */
export class ChatQuota extends Context.Service<
  ChatQuota,
  {
    /** Admits `bytes` more, or fails if they exceed the quota. */
    check(input: {
      readonly owner: ConversationOwner
      readonly tier: Tier
      readonly bytes: number
    }): Effect.Effect<void, StorageQuotaExceeded | StorageFailed>
    /** Something was deleted. */
    forget(owner: ConversationOwner): void
  }
>()("@parley/core/chat/limits/ChatQuota") {
  static readonly layer = Layer.effect(
    ChatQuota,
    Effect.gen(function* () {
      const chats = yield* ChatStore
      const owners = new Map<string, Known>()
      const remember = (key: string, known: Known) => {
        owners.delete(key)
        owners.set(key, known)
        const [oldest] = owners.keys()
        if (owners.size > REMEMBERED && oldest !== undefined) owners.delete(oldest)
      }
      return ChatQuota.of({
        check: Effect.fnUntraced(function* ({ owner, tier, bytes }) {
          const { maxChatBytes } = tier
          const key = countedAs(owner)
          const known = owners.get(key) ?? { read: undefined, since: 0 }
          const since = known.since + bytes
          const isShort = since <= Math.min(SLACK_BYTES, maxChatBytes * SLACK_SHARE)
          if (isShort && (known.read ?? 0) + since <= maxChatBytes) return remember(key, { ...known, since })
          const read = yield* chats.usage(owner)
          remember(key, { read, since: 0 })
          if (read + bytes > maxChatBytes) {
            return yield* new StorageQuotaExceeded({
              tier: tier.name,
              tierName: tier.displayName,
              bytes: read,
              maxChatBytes
            })
          }
          remember(key, { read, since: bytes })
        }),
        forget: (owner) => void owners.delete(countedAs(owner))
      })
    })
  )
}
