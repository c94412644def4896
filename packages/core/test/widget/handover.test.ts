import { assert, describe, it } from "@effect/vitest"
import {
  BotService,
  ConversationService,
  HandoverService,
  type PersonWishInput,
  WidgetService
} from "@parley/core/effect"
import type { BotDraft } from "@parley/core"
import { JobWorker, type Mail, Mailer, MailFailed } from "@parley/core/adapter"
import { Effect, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { balance, flatPrice, says, scriptedModel, transactions, world } from "../chat/world.ts"

const OWNER = "owner"
const PAGE = "https://shop.example/cart?token=secret#pay"

const newBot = (draft: Partial<BotDraft> = {}) =>
  Effect.map(
    BotService.use((bots) =>
      bots.create(OWNER, { displayName: "Ada", handOver: true, handOverEmail: "Owner@Example.org", ...draft })
    ),
    (bot) => ({ ...bot, publicKey: bot.keys[0]?.publicKey ?? "" })
  )
const visiting = { visitorId: "visitor-1", address: "192.0.2.1" }

const say = (publicKey: string, message: string, conversationId?: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const widget = yield* WidgetService
      const continued = conversationId === undefined ? {} : { conversationId }
      const { text, ...reply } = yield* widget.send({ ...visiting, publicKey, message, ...continued })
      return { ...reply, text: yield* Stream.mkString(text) }
    })
  )

const ask = (publicKey: string, more: Partial<PersonWishInput> = {}) =>
  WidgetService.use((widget) => widget.askForPerson({ ...visiting, publicKey, ...more }))

const read = (publicKey: string, conversationId: string, after?: string) =>
  WidgetService.use((widget) =>
    widget.conversation({ ...visiting, publicKey, conversationId, ...(after === undefined ? {} : { after }) })
  )

const hello = () => scriptedModel(() => says(["Hello"], { input: 5, output: 1 }))

/** A mail server that refuses the first mails. */
const mailbox = (refused = 0) => {
  const mails: Array<Mail> = []
  let left = refused
  const sender = {
    send: (mail: Mail) =>
      Effect.suspend(() => {
        if (left-- > 0) return Effect.fail(new MailFailed({ reason: "unreachable" }))
        mails.push(mail)
        return Effect.void
      })
  }
  return { mails, layer: Layer.succeed(Mailer, sender) }
}

/** Works on the jobs for so long. */
const workFor = (duration: `${number} seconds` | `${number} minutes`) =>
  Effect.scoped(
    Effect.gen(function* () {
      const work = Effect.andThen(
        JobWorker.use((worker) => worker.work),
        Effect.never
      )
      yield* Effect.forkScoped(Effect.scoped(work))
      yield* TestClock.adjust(duration)
    })
  )

describe("a hand-over", () => {
  it.effect("silences the bot and costs nothing until the person is done", () => {
    const model = hello()
    return Effect.gen(function* () {
      const owner = yield* HandoverService
      const bot = yield* newBot({ personName: "Grace" })
      const { conversationId: id, answeredBy } = yield* say(bot.publicKey, "Hi")
      assert.strictEqual(answeredBy, "bot")
      assert.deepInclude(yield* ask(bot.publicKey, { conversationId: id }), { state: "waiting", hasEmail: false })
      const before = [yield* balance(OWNER), yield* transactions(OWNER)]
      assert.deepStrictEqual(yield* say(bot.publicKey, "Is a person there?", id), {
        conversationId: id,
        text: "",
        answeredBy: "person"
      })
      const answer = yield* owner.answer(OWNER, bot.id, id, "I am here.")
      assert.deepInclude(answer, { role: "assistant", author: "Grace", model: undefined })
      assert.strictEqual((yield* say(bot.publicKey, "Great", id)).answeredBy, "person")
      assert.strictEqual(model.requests.length, 1)
      assert.deepStrictEqual([yield* balance(OWNER), yield* transactions(OWNER)], before)
      const shown = yield* read(bot.publicKey, id)
      assert.strictEqual(shown.state, "open")
      assert.deepStrictEqual(
        shown.messages.map(({ author, content }) => [content, author]),
        [
          ["Hi", undefined],
          ["Hello", undefined],
          ["Is a person there?", undefined],
          ["I am here.", "Grace"],
          ["Great", undefined]
        ]
      )
      const kept = yield* ConversationService.use((all) => all.get(OWNER, bot.id, id))
      assert.deepStrictEqual(
        kept.messages.map(({ credits }) => credits),
        [undefined, 3, undefined, undefined, undefined]
      )
      yield* owner.move(OWNER, bot.id, id, "solved")
      assert.deepInclude(yield* say(bot.publicKey, "And now?", id), { text: "Hello", answeredBy: "bot" })
      const told = model.requests[1]?.messages.map(({ content }) => content)
      assert.deepStrictEqual(told?.slice(1), ["Hi", "Hello", "Is a person there?", "I am here.", "Great", "And now?"])
    }).pipe(Effect.provide(world(model, flatPrice(3, 100))))
  })

  it.effect(
    "needs the owner's consent: without it visitors cannot ask, people cannot take, and the bot answers",
    () => {
      const model = hello()
      return Effect.gen(function* () {
        const owner = yield* HandoverService
        const bot = yield* newBot({ handOver: false })
        const { conversationId: id } = yield* say(bot.publicKey, "Hi")
        assert.strictEqual((yield* Effect.flip(ask(bot.publicKey)))._tag, "HandOverOff")
        assert.strictEqual((yield* Effect.flip(owner.move(OWNER, bot.id, id, "open")))._tag, "HandOverOff")
        assert.strictEqual((yield* Effect.flip(owner.answer(OWNER, bot.id, id, "Hi")))._tag, "HandOverOff")
        assert.strictEqual((yield* say(bot.publicKey, "Hi again", id)).answeredBy, "bot")
      }).pipe(Effect.provide(world(model)))
    }
  )

  it.effect("is the visitor's and the bot owner's alone", () =>
    Effect.gen(function* () {
      const owner = yield* HandoverService
      const bot = yield* newBot()
      const { conversationId } = yield* ask(bot.publicKey)
      const foreign = yield* Effect.flip(ask(bot.publicKey, { conversationId, visitorId: "visitor-2" }))
      assert.strictEqual(foreign._tag, "ConversationNotFound")
      for (const refused of [
        owner.answer("mallory", bot.id, conversationId, "Hi"),
        owner.move("mallory", bot.id, conversationId, "solved"),
        owner.counts("mallory", bot.id)
      ]) {
        assert.strictEqual(
          (yield* Effect.flip(refused as Effect.Effect<unknown, { _tag: string }>))._tag,
          "BotNotFound"
        )
      }
    }).pipe(Effect.provide(world(hello())))
  )

  it.effect("is read message by message, and a look that finds nothing new reads none", () =>
    Effect.gen(function* () {
      const owner = yield* HandoverService
      const bot = yield* newBot()
      const { conversationId: id } = yield* ask(bot.publicKey)
      yield* say(bot.publicKey, "Hi", id)
      const first = yield* read(bot.publicKey, id)
      const newest = first.messages.at(-1)?.id
      assert.deepStrictEqual((yield* read(bot.publicKey, id, newest)).messages, [])
      yield* owner.answer(OWNER, bot.id, id, "Here")
      const next = yield* read(bot.publicKey, id, newest)
      assert.deepStrictEqual(
        next.messages.map(({ author, content }) => [content, author]),
        [["Here", ""]]
      )
    }).pipe(Effect.provide(world(hello())))
  )

  it.effect("outside the opening hours visitors learn when people are back", () =>
    Effect.gen(function* () {
      // 1970-01-01 was a Thursday.
      const ranges = [{ day: 5, from: "09:00", to: "17:00" }]
      const bot = yield* newBot({ openingHours: { timeZone: "Europe/Berlin", ranges } })
      const friday = Date.parse("1970-01-02T08:00:00Z")
      assert.strictEqual((yield* ask(bot.publicKey)).opensAt, friday)
      const config = WidgetService.use((widget) => widget.config(bot.publicKey))
      assert.deepInclude(yield* config, { handOver: true, opensAt: friday })
      yield* TestClock.setTime(friday)
      assert.deepInclude(yield* config, { opensAt: undefined })
      yield* TestClock.setTime(Date.parse("1970-01-02T16:00:00Z"))
      assert.deepInclude(yield* config, { opensAt: friday + 7 * 86_400_000 })
    }).pipe(Effect.provide(world(hello())))
  )
})

describe("the mails of a hand-over", () => {
  it.effect("the owner gets one, with the visitor's words as quoted text and without the secrets of the page", () => {
    const { layer, mails } = mailbox(2)
    return Effect.gen(function* () {
      const bot = yield* newBot()
      const { conversationId: id } = yield* say(bot.publicKey, "<b>Help</b>\r\nBcc: all@example.org \u202e")
      yield* ask(bot.publicKey, { conversationId: id, page: PAGE, site: "https://chat.example" })
      yield* ask(bot.publicKey, { conversationId: id, page: PAGE })
      yield* workFor("10 minutes")
      assert.strictEqual(mails.length, 1)
      const [mail] = mails
      assert.deepInclude(mail, { to: "owner@example.org", subject: "A visitor of Ada asks for a person" })
      assert.include(mail?.text, "> <b>Help</b>\n> Bcc: all@example.org")
      assert.include(mail?.text, "> https://shop.example/cart\n")
      assert.notInclude(mail?.text, "secret")
      assert.include(mail?.text, `https://chat.example/dashboard/bots/${bot.id}/conversations/${id}`)
      assert.include(mail?.html, "&lt;b&gt;Help&lt;/b&gt;")
      assert.notInclude(mail?.html, "<b>")
      for (const part of [mail?.subject, mail?.text, mail?.html]) assert.notMatch(part ?? "", /[\r\u202e]/)
    }).pipe(Effect.provide(Layer.provide(world(hello()), layer)))
  })

  it.effect("an owner who has taken the conversation meanwhile gets none", () => {
    const { layer, mails } = mailbox()
    return Effect.gen(function* () {
      const bot = yield* newBot()
      const { conversationId: id } = yield* ask(bot.publicKey)
      yield* HandoverService.use((owner) => owner.move(OWNER, bot.id, id, "open"))
      yield* workFor("1 minutes")
      assert.deepStrictEqual(mails, [])
    }).pipe(Effect.provide(Layer.provide(world(hello()), layer)))
  })

  it.effect("many visitors of one bot cause few", () => {
    const { layer, mails } = mailbox()
    return Effect.gen(function* () {
      const bot = yield* newBot()
      for (let visitor = 0; visitor < 25; visitor++) {
        yield* ask(bot.publicKey, { visitorId: `visitor-${visitor}`, address: `192.0.2.${visitor}` })
      }
      yield* workFor("10 minutes")
      assert.strictEqual(mails.length, 20)
    }).pipe(Effect.provide(Layer.provide(world(hello()), layer)))
  })

  it.effect("a visitor who is gone and gave an address gets the answer; one who is there gets none", () => {
    const { layer, mails } = mailbox()
    return Effect.gen(function* () {
      const owner = yield* HandoverService
      const bot = yield* newBot({ handOverEmail: null, personName: "Grace" })
      const { conversationId: id } = yield* ask(bot.publicKey, { email: "Bob@example.org", language: "de", page: PAGE })
      yield* owner.answer(OWNER, bot.id, id, "At once")
      yield* workFor("1 minutes")
      assert.deepStrictEqual(mails, [])
      yield* TestClock.adjust("61 seconds")
      yield* owner.answer(OWNER, bot.id, id, "<i>Later</i>")
      yield* workFor("1 minutes")
      assert.strictEqual(mails.length, 1)
      assert.deepInclude(mails[0], { to: "bob@example.org", subject: "Grace hat Ihnen bei Ada geantwortet" })
      assert.include(mails[0]?.text, "> <i>Later</i>")
      assert.notInclude(mails[0]?.text, "shop.example")
      yield* TestClock.adjust("61 seconds")
      yield* owner.answer(OWNER, bot.id, id, "And again")
      yield* TestClock.adjust("1 seconds")
      yield* read(bot.publicKey, id)
      yield* workFor("1 minutes")
      assert.strictEqual(mails.length, 1)
    }).pipe(Effect.provide(Layer.provide(world(hello()), layer)))
  })
})
