import { Clock, Context, Effect, Layer } from "effect"
import { CHAT_SPENDER, type Spender } from "../../credits/Spender.ts"
import type { UserId } from "../../identity/UserId.ts"
import { type Counted, RateLimiter } from "../../limits/RateLimiter.ts"
import { failureFields } from "../../storage/failureFields.ts"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import type { Tier } from "../../tiers/Tier.ts"
import { StorageQuotaExceeded, TooManyAbandonedTries } from "../errors.ts"
import { ChatStore } from "../store/ChatStore.ts"
import { type ConversationOwner, ownerKey } from "../store/StoredChat.ts"

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

/**
 * The counted party: the account that would have paid, and the spender. A bot's visitors do not keep its owner from
 * chatting.
 */
export interface Tries {
  readonly payer: UserId
  readonly source: Spender
  /** The visitor's address, which is counted separately, in this process alone. */
  readonly askedFrom?: string | undefined
}

/** The counted party, and the number of tries a minute that the tier allows. */
export interface TryLimit extends Tries {
  readonly perMinute: number
}

interface Window {
  count: number
  /** Unix milliseconds. */
  endsAt: number
}

const WINDOW_MS = 60_000
/** If more people than this are counted, those whose minute is over are forgotten. */
const MANY = 10_000

const triesKey = ({ askedFrom = "", payer, source }: Tries): string => JSON.stringify([source, payer, askedFrom])
const eventOf = (source: Spender): string => (source === CHAT_SPENDER ? "abandoned" : `abandoned ${source}`)

/**
 * Bounds the replies that a person abandons before the first word, and those that a bot's visitors abandon together or
 * from one address. An abandoned reply costs its reader nothing, but the operator a prompt. The count of this process
 * refuses at once. The count of all processes is read only when a try was abandoned, so that ordinary replies cost no
 * statement.
 */
export class AbandonedTries extends Context.Service<
  AbandonedTries,
  {
    /** Fails if the person has abandoned as many replies within a minute as the tier allows. */
    check(limit: TryLimit): Effect.Effect<void, TooManyAbandonedTries>
    /** Counts a reply that was left before its first word. Never fails: what cannot be counted for all is counted here. */
    note(tries: Tries): Effect.Effect<void>
  }
>()("@parley/core/chat/limits/AbandonedTries") {
  static readonly layer = Layer.effect(
    AbandonedTries,
    Effect.gen(function* () {
      const limiter = yield* RateLimiter
      const windows = new Map<string, Window>()

      const windowOf = (key: string, now: number): Window => {
        const known = windows.get(key)
        if (known !== undefined && known.endsAt > now) return known
        if (windows.size >= MANY) for (const [id, { endsAt }] of windows) if (endsAt <= now) windows.delete(id)
        const window = { count: 0, endsAt: now + WINDOW_MS }
        windows.set(key, window)
        return window
      }
      const share = (window: Window, { count, remainingMs }: Counted, now: number) => {
        window.count = Math.max(window.count, count)
        window.endsAt = now + remainingMs
      }

      return AbandonedTries.of({
        check: Effect.fnUntraced(function* (limit) {
          const { perMinute } = limit
          const window = windows.get(triesKey(limit))
          if (window === undefined || window.count < perMinute) return
          const retryAfterMs = window.endsAt - (yield* Clock.currentTimeMillis)
          if (retryAfterMs > 0) return yield* new TooManyAbandonedTries({ perMinute, retryAfterMs })
        }),
        note: Effect.fnUntraced(function* (tries) {
          const window = windowOf(triesKey(tries), yield* Clock.currentTimeMillis)
          window.count += 1
          // An abuser may use any number of addresses: a row for each would fill the store.
          if (tries.askedFrom !== undefined) return
          const counting = limiter.count({
            subject: tries.payer,
            name: eventOf(tries.source),
            windowMs: WINDOW_MS
          })
          yield* Effect.matchEffect(counting, {
            onSuccess: (counted) => Effect.map(Clock.currentTimeMillis, (now) => share(window, counted, now)),
            onFailure: (failed) =>
              Effect.annotateLogs(
                Effect.logWarning("An abandoned reply could be counted on this server only."),
                failureFields(failed)
              )
          })
        })
      })
    })
  )
}
