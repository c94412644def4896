import { assert, describe, it } from "@effect/vitest"
import { BotService, type VisitorCallInput, WidgetService } from "@parley/core/effect"
import {
  type Challenge,
  ChallengeUnavailable,
  makeInMemoryVisitorChallenge,
  VisitorChallenge
} from "@parley/core/adapter"
import { visitorChallengeContract } from "@parley/core/testing"
import { Effect, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { balance, flatPrice, says, scriptedModel, world } from "../chat/world.ts"

visitorChallengeContract("in memory", {
  outages: [],
  stage: () => {
    const challenge = makeInMemoryVisitorChallenge()
    return Promise.resolve({ challenge, solve: challenge.solve, breakDown: () => undefined, secret: "none" })
  }
})

const newBot = Effect.map(
  BotService.use((bots) => bots.create("owner", { displayName: "Ada" })),
  ({ keys }) => keys[0]?.publicKey ?? ""
)

const say = (publicKey: string, more: Partial<VisitorCallInput> = {}) =>
  Effect.scoped(
    Effect.gen(function* () {
      const widget = yield* WidgetService
      const call = { publicKey, visitorId: "visitor-1", message: "Hi", address: "192.0.2.1", ...more }
      const { conversationId, text } = yield* widget.send(call)
      yield* Stream.runDrain(text)
      return conversationId
    })
  )

const refusal = (publicKey: string, more: Partial<VisitorCallInput> = {}) =>
  Effect.map(Effect.flip(say(publicKey, more)), ({ _tag }) => _tag)

const LIMITS = {
  perIpPerMinute: 100,
  perConversationPerMinute: 100,
  addressDailyPercent: 100,
  messagesBeforeChallenge: 3
}

const worldWith = (challenge: Challenge | undefined, widget: object = LIMITS) =>
  Layer.provide(
    world(
      scriptedModel(() => says(["Hello"], { input: 5, output: 1 })),
      { ...flatPrice(1, 1_000), widget }
    ),
    Layer.succeed(VisitorChallenge, challenge)
  )

describe("a challenge", () => {
  it.effect(
    "is required after this many messages of an address in an hour, with any visitor id, and for each further one",
    () => {
      const challenge = makeInMemoryVisitorChallenge()
      return Effect.gen(function* () {
        const bots = [yield* newBot, yield* newBot]
        for (const [index, visitorId] of ["a", "b", "c"].entries()) yield* say(bots[index % 2] ?? "", { visitorId })
        const before = yield* balance("owner")
        const required = yield* Effect.flip(say(bots[0] ?? "", { visitorId: "d" }))
        assert.deepInclude(required, { _tag: "VisitorChallengeRequired", challenge: challenge.shown })
        assert.deepStrictEqual(yield* balance("owner"), before)
        yield* say(bots[0] ?? "", { challengeToken: challenge.solve() })
        assert.strictEqual(yield* refusal(bots[0] ?? ""), "VisitorChallengeRequired")
        yield* say(bots[0] ?? "", { address: "192.0.2.2" })
      }).pipe(Effect.provide(worldWith(challenge)))
    }
  )

  it.effect("is required after this many messages of a conversation, from any addresses", () => {
    const challenge = makeInMemoryVisitorChallenge()
    return Effect.gen(function* () {
      const bot = yield* newBot
      const conversationId = yield* say(bot)
      for (const address of [2, 3, 4]) yield* say(bot, { conversationId, address: `192.0.2.${address}` })
      assert.strictEqual(yield* refusal(bot, { conversationId, address: "192.0.2.5" }), "VisitorChallengeRequired")
    }).pipe(Effect.provide(worldWith(challenge)))
  })

  it.effect("is asked for no more once the hour is over", () => {
    const challenge = makeInMemoryVisitorChallenge()
    return Effect.gen(function* () {
      const bot = yield* newBot
      for (let message = 0; message < 3; message++) yield* say(bot)
      assert.strictEqual(yield* refusal(bot), "VisitorChallengeRequired")
      yield* TestClock.adjust("61 minutes")
      yield* say(bot)
    }).pipe(Effect.provide(worldWith(challenge)))
  })

  it.effect(
    "that was not solved, or was used before, is required again; if it cannot be checked, no visitor is admitted",
    () => {
      const made = makeInMemoryVisitorChallenge()
      const state = { isDown: false }
      const challenge: Challenge = {
        ...made,
        verify: (answer) =>
          state.isDown ? Effect.fail(new ChallengeUnavailable({ reason: "unreachable" })) : made.verify(answer)
      }
      return Effect.gen(function* () {
        const bot = yield* newBot
        const challengeToken = made.solve()
        yield* say(bot, { challengeToken })
        for (const token of [challengeToken, "nonsense"]) {
          assert.strictEqual(yield* refusal(bot, { challengeToken: token }), "VisitorChallengeRequired")
        }
        state.isDown = true
        assert.strictEqual(yield* refusal(bot, { challengeToken: made.solve() }), "ChallengeUnavailable")
      }).pipe(Effect.provide(worldWith(challenge)))
    }
  )

  it.effect("is asked for with the first message where the operator says so, and never where there is none", () => {
    const challenge = makeInMemoryVisitorChallenge()
    return Effect.gen(function* () {
      const asked = Effect.flatMap(newBot, refusal).pipe(
        Effect.provide(worldWith(challenge, { ...LIMITS, messagesBeforeChallenge: 0 }))
      )
      assert.strictEqual(yield* asked, "VisitorChallengeRequired")
      const free = Effect.gen(function* () {
        const bot = yield* newBot
        for (let message = 0; message < 20; message++) yield* say(bot)
      }).pipe(Effect.provide(worldWith(undefined, { ...LIMITS, messagesBeforeChallenge: 0 })))
      yield* free
    })
  })

  it.effect("is not looked at for more messages than an address may send", () => {
    const made = makeInMemoryVisitorChallenge()
    let verified = 0
    const challenge: Challenge = {
      ...made,
      verify: (answer) => {
        verified += 1
        return made.verify(answer)
      }
    }
    return Effect.gen(function* () {
      const bot = yield* newBot
      for (let message = 0; message < 10; message++) yield* Effect.exit(say(bot, { challengeToken: "nonsense" }))
      assert.strictEqual(verified, 2)
    }).pipe(Effect.provide(worldWith(challenge, { ...LIMITS, perIpPerMinute: 2 })))
  })
})
