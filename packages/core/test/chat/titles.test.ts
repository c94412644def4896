import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Layer, Stream } from "effect"
import fc from "fast-check"
import { ChatService, settingsLayer } from "@parley/core/effect"
import { ModelFailed } from "@parley/core/adapter"
import { cleanTitle, TITLE_CHARACTERS, titleOf } from "../../src/chat/titles/ChatTitles.ts"
import { ask, balance, flatPrice, says, type ScriptedModel, scriptedModel, transactions, world } from "./world.ts"

const NAMING = "You name conversations."

const isNaming = ({ messages: [first] }: ScriptedModel["requests"][number]) =>
  first?.content.startsWith(NAMING) === true

/** Answers each question, and a request for a title as the test decides. */
const naming = (title: ScriptedModel["parts"]) =>
  scriptedModel((request) => (isNaming(request) ? title(request) : says(["A reply."])))

const titled = (model: ScriptedModel, titles: object = {}, config: unknown = flatPrice(3, 100)) =>
  Layer.merge(world(model, config), settingsLayer({ titles: { generate: true, ...titles } }))

const titleIn = (user: string) =>
  Effect.map(
    ChatService.use((chats) => chats.list({ userId: user, limit: 10, offset: 0 })),
    ({ chats: [chat] }) => chat?.title
  )

/** Lets the work beside the test go on as far as it can. */
const settled = Effect.forEach(Array.from({ length: 200 }), () => Effect.yieldNow, { discard: true })

const QUESTION = "Wie kündige ich meine **Wohnung**? Ich ziehe um."

describe("generated titles", () => {
  const german = naming(() => says(["**»Kündigung", " einer Wohnung«**.\n\nMore"]))
  it.effect("the first reply gets a clean title by the tier's cheapest model, once, and at no charge", () =>
    Effect.gen(function* () {
      const { reply } = yield* ask("ann", QUESTION)
      yield* settled
      assert.strictEqual(yield* titleIn("ann"), "Kündigung einer Wohnung")
      yield* ask("ann", "Und dann?", { chatId: reply.chatId })
      yield* settled
      const [asked, ...more] = german.requests.filter(isNaming)
      assert.deepStrictEqual(more, [])
      assert.strictEqual(asked?.model.id, "model-a-mini")
      assert.include(asked?.messages.at(-1)?.content ?? "", QUESTION)
      assert.include(asked?.messages.at(-1)?.content ?? "", "A reply.")
      assert.strictEqual((yield* balance("ann")).available, 94)
    }).pipe(Effect.provide(titled(german)))
  )

  it.effect("with a price, the title is held and charged once, as its own receipt", () =>
    Effect.gen(function* () {
      yield* ask("ann", QUESTION)
      yield* settled
      assert.strictEqual(yield* titleIn("ann"), "Kündigung einer Wohnung")
      assert.strictEqual((yield* balance("ann")).available, 95)
      const receipts = (yield* transactions("ann")).map(({ receipt }) => receipt)
      assert.deepInclude(
        receipts.flatMap((receipt) => (receipt !== undefined && "lines" in receipt ? receipt.lines : [])),
        { label: "title", quantity: 1, unitPrice: 2 }
      )
    }).pipe(
      Effect.provide(
        titled(
          naming(() => says(["Kündigung einer Wohnung"])),
          { credits: 2 }
        )
      )
    )
  )

  const unasked = naming(() => says(["Never"]))
  it.effect("a balance without the price of a title leaves the sentence, and asks no model", () =>
    Effect.gen(function* () {
      yield* ask("ann", QUESTION)
      yield* settled
      assert.strictEqual(yield* titleIn("ann"), "Wie kündige ich meine Wohnung?")
      assert.deepStrictEqual(unasked.requests.filter(isNaming), [])
      assert.strictEqual((yield* balance("ann")).available, 97)
    }).pipe(Effect.provide(titled(unasked, { credits: 98 })))
  )

  const off = naming(() => says(["Never"]))
  it.effect("switched off, no model is asked, and the title is the first sentence of the question", () =>
    Effect.gen(function* () {
      yield* ask("ann", QUESTION)
      yield* settled
      assert.strictEqual(yield* titleIn("ann"), "Wie kündige ich meine Wohnung?")
      assert.lengthOf(off.requests, 1)
    }).pipe(Effect.provide(titled(off, { generate: false })))
  )

  const unavailable = new ModelFailed({ model: "model-a-mini", reason: "unavailable", retryable: true })
  it.effect.each([
    ["fails", () => Stream.fail(unavailable)],
    ["says nothing but marks", () => says(["**\n"])],
    ["dies", () => Stream.die("a bug")]
  ] as const)("a model that %s is asked once and leaves the sentence", ([, parts]) => {
    const model = naming(parts)
    return Effect.gen(function* () {
      const { reply, text } = yield* ask("ann", QUESTION)
      yield* settled
      assert.strictEqual(text, "A reply.")
      yield* ask("ann", "Und dann?", { chatId: reply.chatId })
      yield* settled
      assert.lengthOf(model.requests.filter(isNaming), 1)
      assert.strictEqual(yield* titleIn("ann"), "Wie kündige ich meine Wohnung?")
    }).pipe(Effect.provide(titled(model)))
  })

  it.effect("with a price, a title without words costs nothing", () =>
    Effect.gen(function* () {
      yield* ask("ann", QUESTION)
      yield* settled
      assert.deepInclude(yield* balance("ann"), { available: 97, held: 0 })
    }).pipe(
      Effect.provide(
        titled(
          naming(() => says(["**\n"])),
          { credits: 2 }
        )
      )
    )
  )

  it.effect("with a price, a title that the person's own precedes costs nothing", () =>
    Effect.gen(function* () {
      const writes = yield* Deferred.make<void>()
      const slow = naming(() => Stream.concat(Stream.drain(Stream.fromEffect(Deferred.await(writes))), says(["Late"])))
      yield* Effect.gen(function* () {
        const { reply } = yield* ask("ann", QUESTION)
        yield* settled
        yield* ChatService.use((chats) => chats.rename("ann", reply.chatId, "Mine"))
        yield* Deferred.succeed(writes, undefined)
        yield* settled
        assert.strictEqual(yield* titleIn("ann"), "Mine")
        assert.deepInclude(yield* balance("ann"), { available: 97, held: 0 })
      }).pipe(Effect.provide(titled(slow, { credits: 2 })))
    })
  )

  it.effect(
    "a title that takes long delays neither the reply nor the end of the process, and a rename meanwhile stays",
    () => {
      const named = Deferred.makeUnsafe<void>()
      const slow = naming(() => Stream.unwrap(Effect.as(Deferred.await(named), says(["Too late"]))))
      return Effect.gen(function* () {
        const { reply, text } = yield* ask("ann", QUESTION)
        assert.strictEqual(text, "A reply.")
        yield* settled
        assert.lengthOf(slow.requests.filter(isNaming), 1)
        const chats = yield* ChatService
        yield* chats.rename("ann", reply.chatId, "Mine")
        yield* Deferred.succeed(named, undefined)
        yield* settled
        assert.strictEqual(yield* titleIn("ann"), "Mine")
        // Another one is still being written when the layer closes.
        slow.parts = (request) => (isNaming(request) ? Stream.never : says(["A reply."]))
        yield* ask("ben", QUESTION)
      }).pipe(Effect.provide(titled(slow)))
    }
  )

  const kept = naming(() => says(["Never"]))
  it.effect("the conversation of a visitor, and one that its client keeps, get no generated title", () =>
    Effect.gen(function* () {
      const chats = yield* ChatService
      const request = { messages: [{ role: "user", content: QUESTION }] }
      const asked = { payer: "ann", documentsOwner: "ann", source: "chat" } as const
      const visitor = { visitor: crypto.randomUUID(), bot: crypto.randomUUID(), botOwner: "ann" }
      const terms = { instructions: "Be brief.", isClientKept: true }
      for (const input of [
        { parties: { ...asked, conversationOwner: visitor }, request },
        { userId: "ann", request, terms }
      ]) {
        yield* Effect.scoped(Effect.flatMap(chats.send(input), ({ text }) => Stream.runDrain(text)))
      }
      yield* settled
      assert.lengthOf(kept.requests, 2)
      assert.deepStrictEqual(kept.requests.filter(isNaming), [])
    }).pipe(Effect.provide(titled(kept)))
  )
})

describe("the text of a title", () => {
  const pieces = fc.constantFrom(
    ...'* ** _ __ ` ``` ~~ # ## > - + 1. | [ ]( ) ! \n \n\n \\ " “ « - [x] C# snake_case 2 x? Größe. 日本語。 \u{1F431} word'.split(
      " "
    ),
    " "
  )
  const texts = fc.oneof(
    fc.array(pieces, { maxLength: 60 }).map((all) => all.join("")),
    fc.string({ unit: "binary", maxLength: 200 }),
    fc.lorem({ maxCount: 40 })
  )
  const title = (content: string) => titleOf([{ role: "user", content }])

  it("has no marks of Markdown and no quotation marks, at most 60 characters in one line, and is never empty", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const made = title(text)
        assert.isAbove(made.length, 0)
        assert.isAtMost(Array.from(made).length, TITLE_CHARACTERS)
        for (const one of [made, cleanTitle(text)]) {
          assert.strictEqual(one, one.trim().replaceAll(/\s+/g, " "))
          assert.notMatch(one, /[`[\]|<>\\"“”„«»]|~~|\*\*|\*\S|\S\*/u)
          assert.notMatch(one, /^(?:#{1,6}|[>*+-]|\d{1,3}[.)])(?: |$)|(?<![\p{L}\p{N}_])_|_(?![\p{L}\p{N}_])/u)
        }
      }),
      { numRuns: 2_000 }
    )
  })

  it.each([
    ["Hello!", "Hello!"],
    ["Hi! Can you **really** read `main.ts`?  And more.", "Hi! Can you really read main.ts?"],
    ["# Plan\n\n- [ ] buy *milk*\n- sell", "Plan buy milk sell"],
    ["Look at [this page](https://example.com/a_b) please", "Look at this page please"],
    ["Why is snake_case used in C# and 2 * 3?", "Why is snake_case used in C# and 2 * 3?"],
    ["Explain ~~nothing~~ this:\n```ts\nconst a = 1\n```", "Explain nothing this:"],
    ["z.B. die Frist nach § 573 BGB. Wie lang ist sie?", "z.B. die Frist nach § 573 BGB"],
    ["日本語のタイトルを作ってください。次の文です。", "日本語のタイトルを作ってください"],
    [`${"wordy ".repeat(20)}`, `${"wordy ".repeat(10).trim()}…`],
    ["x".repeat(90), `${"x".repeat(59)}…`],
    ["***", "…"]
  ])("of %j is %j", (text, expected) => assert.strictEqual(title(text), expected))
})
