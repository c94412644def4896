import { Context, Effect, Layer, type Scope } from "effect"
import { addressBucket } from "../limits/addressBucket.ts"
import { CallGate, type CallRefused } from "../limits/CallGate.ts"
import type { CallLimit } from "../limits/CallLimiter.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import { Catalog } from "../tiers/Catalog.ts"
import type { WidgetLimits } from "../tiers/CatalogData.ts"
import { VisitorUploadsLimited } from "./files/fileErrors.ts"
import { VisitorChallengeRequired, VisitorLimitReached, VisitorMessageTooLong, VisitorReadsLimited } from "./errors.ts"
import { type ChallengeUnavailable, VisitorChallenge } from "./VisitorChallenge.ts"

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
/**
 * Milliseconds after which a visitor with the maximum number of open replies may retry, because a reply may end at any
 * moment.
 */
const STREAM_WAIT_MS = 5_000

/** A message that a visitor sends to a bot. */
export interface VisitorCall {
  /**
   * The address from which the message was sent, as the server sees it; all calls with an unknown address share one
   * limit.
   */
  readonly address: string | undefined
  readonly botId: string
  /** The id of a conversation that belongs to the visitor; undefined if a new one begins. */
  readonly conversationId: string | undefined
}

/**
 * The subjects by which a visitor's calls are counted, and for each the code of the error if the maximum number of its
 * replies is open.
 */
const COUNTED = { ip: "ip-streams", conversation: "conversation", bot: "bot-streams" } as const

interface CountedOn extends CallLimit {
  readonly name: keyof typeof COUNTED
}

/**
 * The limits of a call. Apart from the conversation, which only adds a limit, a visitor cannot choose any of the
 * subjects.
 */
const limitsOf = ({ address, botId, conversationId }: VisitorCall, limits: WidgetLimits): ReadonlyArray<CountedOn> => [
  { name: "ip", subject: addressBucket(address), calls: limits.perIpPerMinute, atOnce: limits.streamsPerIp },
  ...(conversationId === undefined
    ? []
    : [{ name: "conversation" as const, subject: conversationId, calls: limits.perConversationPerMinute }]),
  { name: "bot", subject: botId, calls: limits.perBotPerMinute, atOnce: limits.streamsPerBot }
]

const limitReached = (
  limits: ReadonlyArray<CountedOn>,
  { place, reached, remainingMs = STREAM_WAIT_MS }: CallRefused
): VisitorLimitReached => {
  const { atOnce = 1, calls, name } = limits[place] as CountedOn
  return reached === "calls"
    ? new VisitorLimitReached({ limit: name, quota: calls, windowMs: MINUTE_MS, retryAfterMs: remainingMs })
    : new VisitorLimitReached({ limit: COUNTED[name], quota: atOnce, retryAfterMs: remainingMs })
}

/** The limits on messages without a solved challenge. */
const unprovenLimits = ({ address, conversationId }: VisitorCall, calls: number): ReadonlyArray<CallLimit> => [
  { name: "unproven-ip", subject: addressBucket(address), calls },
  ...(conversationId === undefined ? [] : [{ name: "unproven-conversation", subject: conversationId, calls }])
]

/** Returns true if a text has more than `most` code points; examines no more of the text than necessary. */
const isLonger = (text: string, most: number): boolean => {
  if (text.length <= most) return false
  let left = most
  for (const _ of text) if (left-- === 0) return true
  return false
}

/**
 * Limits the costs that visitors can cause for a bot's owner and the server, even if one visitor pretends to be many.
 */
export class VisitorGate extends Context.Service<
  VisitorGate,
  {
    /** Fails if a message is too long. */
    checkMessage(message: string): Effect.Effect<void, VisitorMessageTooLong>
    /** Admits a read of a conversation by an address; a read costs the server work, but no credits. */
    enterReading(address: string | undefined): Effect.Effect<void, VisitorReadsLimited | StorageFailed>
    /**
     * Admits a file from an address to a bot: as many files an hour as messages a minute. A refused file is not counted
     * anywhere.
     */
    enterUpload(address: string | undefined, botId: string): Effect.Effect<void, VisitorUploadsLimited | StorageFailed>
    /**
     * Admits a visitor's call until the scope closes, within the limits of its address, conversation and bot. A refused
     * call is not counted anywhere, so that no visitor uses up limits that are shared with others.
     */
    enter(call: VisitorCall): Effect.Effect<void, VisitorLimitReached | StorageFailed, Scope.Scope>
    /**
     * Requires a solved challenge if the address or the conversation has sent too many messages without one within an
     * hour. If no challenge is configured, every message passes.
     */
    prove(
      call: VisitorCall,
      token: string | undefined
    ): Effect.Effect<void, VisitorChallengeRequired | ChallengeUnavailable | StorageFailed>
  }
>()("@parley/core/widget/VisitorGate") {
  static readonly layer = Layer.effect(
    VisitorGate,
    Effect.gen(function* () {
      const gate = yield* CallGate
      const { widget } = yield* Catalog
      const challenge = yield* VisitorChallenge
      return VisitorGate.of({
        checkMessage: (message) =>
          isLonger(message, widget.maxMessageCharacters)
            ? Effect.fail(new VisitorMessageTooLong({ limit: widget.maxMessageCharacters }))
            : Effect.void,
        enterReading: (address) => {
          const quota = widget.readsPerIpPerMinute
          const limits = [{ name: "ip-reads", subject: addressBucket(address), calls: quota }]
          return Effect.scoped(gate.enter({ limits, windowMs: MINUTE_MS })).pipe(
            Effect.catchTag("CallRefused", ({ remainingMs: retryAfterMs = MINUTE_MS }) =>
              Effect.fail(new VisitorReadsLimited({ quota, windowMs: MINUTE_MS, retryAfterMs }))
            )
          )
        },
        enterUpload: (address, botId) => {
          const limits = [
            { name: "ip-uploads", subject: addressBucket(address), calls: widget.perIpPerMinute },
            { name: "bot-uploads", subject: botId, calls: widget.perBotPerMinute }
          ]
          return Effect.scoped(gate.enter({ limits, windowMs: HOUR_MS })).pipe(
            Effect.catchTag("CallRefused", ({ remainingMs: retryAfterMs = HOUR_MS }) =>
              Effect.fail(new VisitorUploadsLimited({ retryAfterMs }))
            )
          )
        },
        enter: (call) => {
          const limits = limitsOf(call, widget)
          return Effect.catchTag(gate.enter({ limits, windowMs: MINUTE_MS }), "CallRefused", (refused) =>
            Effect.fail(limitReached(limits, refused))
          )
        },
        prove: Effect.fnUntraced(function* (call, token) {
          if (challenge === undefined) return
          const { messagesBeforeChallenge } = widget
          const required = new VisitorChallengeRequired({ challenge: challenge.shown })
          if (token !== undefined) {
            const isSolved = yield* challenge.verify({ token, address: call.address })
            return isSolved ? undefined : yield* required
          }
          if (messagesBeforeChallenge === 0) return yield* required
          const limits = unprovenLimits(call, messagesBeforeChallenge)
          yield* Effect.catchTag(Effect.scoped(gate.enter({ limits, windowMs: HOUR_MS })), "CallRefused", () =>
            Effect.fail(required)
          )
        })
      })
    })
  ).pipe(Layer.provide(CallGate.layer))
}
