import { Context, Effect, Layer } from "effect"
import type { UserId } from "../identity/UserId.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import type { Tier } from "../tiers/Tier.ts"
import { ChatStore } from "./ChatStore.ts"
import { StorageQuotaExceeded } from "./errors.ts"

/** What a person may store between two looks at what the chats hold, at most; and at most this part of the quota. */
const SLACK_BYTES = 64 * 1024
const SLACK_SHARE = 1 / 16
/** People remembered. */
const REMEMBERED = 10_000

interface Known {
  /** What the chats held when that was read; undefined where it was not. */
  readonly read: number | undefined
  /** What was let through since. */
  readonly since: number
}

/**
 * Bounds what the chats of a person hold together, by tier. It looks at what is stored only now and then, so that
 * ordinary messages cost no statement: a person can exceed the quota by the slack, in each process.
 */
export class ChatQuota extends Context.Service<
  ChatQuota,
  {
    /** Lets `bytes` more through, or fails where they are too many. */
    check(input: {
      readonly userId: UserId
      readonly tier: Tier
      readonly bytes: number
    }): Effect.Effect<void, StorageQuotaExceeded | StorageFailed>
    /** Something was deleted. */
    forget(userId: UserId): void
  }
>()("@parley/core/chat/ChatQuota") {
  static readonly layer = Layer.effect(
    ChatQuota,
    Effect.gen(function* () {
      const chats = yield* ChatStore
      const people = new Map<UserId, Known>()
      const remember = (userId: UserId, known: Known) => {
        people.delete(userId)
        people.set(userId, known)
        const [oldest] = people.keys()
        if (people.size > REMEMBERED && oldest !== undefined) people.delete(oldest)
      }
      return ChatQuota.of({
        check: Effect.fnUntraced(function* ({ userId, tier, bytes }) {
          const { maxChatBytes } = tier
          const known = people.get(userId) ?? { read: undefined, since: 0 }
          const since = known.since + bytes
          const isShort = since <= Math.min(SLACK_BYTES, maxChatBytes * SLACK_SHARE)
          if (isShort && (known.read ?? 0) + since <= maxChatBytes) return remember(userId, { ...known, since })
          const read = yield* chats.usage(userId)
          remember(userId, { read, since: 0 })
          if (read + bytes > maxChatBytes) {
            return yield* new StorageQuotaExceeded({ tier: tier.name, bytes: read, maxChatBytes })
          }
          remember(userId, { read, since: bytes })
        }),
        forget: (userId) => void people.delete(userId)
      })
    })
  )
}
