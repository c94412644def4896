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
 * The maximum number of bytes that a person may store between two reads of the stored bytes; `SLACK_SHARE` bounds it as
 * a part of the quota.
 */
const SLACK_BYTES = 64 * 1024
const SLACK_SHARE = 1 / 16
/** The maximum number of owners whose bytes are remembered. */
const REMEMBERED = 10_000

interface Known {
  /** The bytes of the chats at the last read; undefined before the first. */
  readonly read: number | undefined
  /** The bytes admitted since the last read. */
  readonly since: number
}

/**
 * The key under which the bytes of an owner are counted: one for a person's own chats, another for the conversations of
 * all visitors of the person's bots.
 */
const countedAs = (owner: ConversationOwner): string => {
  const { userId, visitor } = ownerKey(owner)
  return `${visitor === "" ? "own" : "visitors"} ${userId}`
}

/**
 * Bounds the bytes of a person's chats by the quota of the payer's tier. The conversations of the visitors of all the
 * person's bots have a separate quota of the same size. The stored bytes are read only now and then, so that ordinary
 * messages need no query; a person can therefore exceed the quota by the slack, in each process.
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
    /** Forgets the remembered bytes of an owner after something was deleted. */
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
 * The payer and the spender whose tries are counted together. Tries of a bot's visitors are counted apart from those of
 * its owner, so that visitors cannot prevent the owner from chatting.
 */
export interface Tries {
  readonly payer: UserId
  readonly source: Spender
  /** The visitor's address. It is counted separately, and only in this process. */
  readonly askedFrom?: string | undefined
}

/** A counted payer and spender, with the number of tries a minute that the tier allows. */
export interface TryLimit extends Tries {
  readonly perMinute: number
}

interface Window {
  count: number
  /** Unix milliseconds. */
  endsAt: number
}

const WINDOW_MS = 60_000
/** Above this number of counts, those whose minute is over are removed. */
const MANY = 10_000

const triesKey = ({ askedFrom = "", payer, source }: Tries): string => JSON.stringify([source, payer, askedFrom])
const eventOf = (source: Spender): string => (source === CHAT_SPENDER ? "abandoned" : `abandoned ${source}`)

/**
 * Limits the replies that a person abandons before the first word, and those that a bot's visitors abandon, all
 * together and from one address. An abandoned reply costs its reader nothing, but costs the operator a prompt. A
 * request is refused by the count of this process. The count of all processes is read only when a reply was abandoned,
 * so that ordinary replies need no query.
 */
export class AbandonedTries extends Context.Service<
  AbandonedTries,
  {
    /** Fails if the person has abandoned as many replies within a minute as the tier allows. */
    check(limit: TryLimit): Effect.Effect<void, TooManyAbandonedTries>
    /**
     * Counts a reply that was abandoned before its first word. Never fails: if the common count cannot be written, only
     * this process counts the reply.
     */
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
          // A client may use any number of addresses, and a stored row for each would fill the store.
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
