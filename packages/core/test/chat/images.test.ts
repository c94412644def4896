import { assert, describe, it } from "@effect/vitest"
import { ChatStore } from "@parley/core/adapter"
import { CreditService, ImageService, ModelOffers } from "@parley/core/effect"
import { Effect, Stream } from "effect"
import fc from "fast-check"
import { TestClock } from "effect/testing"
import { imageHeader } from "../../src/chat/images/imageHeader.ts"
import { ask, balance, says, scriptedModel, world } from "./world.ts"

/** The beginning of a PNG of this size, which is all that the core reads of an image. */
const png = (width: number, height: number, size = 64): Uint8Array => {
  const bytes = new Uint8Array(size)
  bytes.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52])
  const view = new DataView(bytes.buffer)
  view.setUint32(16, width)
  view.setUint32(20, height)
  return bytes
}

const CONFIG = {
  models: {
    "model-a-mini": {
      creditsPer1kInput: 10,
      creditsPer1kCachedInput: 10,
      creditsPer1kOutput: 10,
      maxOutputTokens: 100
    },
    blind: { vendor: "house", vendorModel: "b", creditsPer1kInput: 10, creditsPer1kOutput: 10, maxOutputTokens: 100 }
  },
  tiers: { free: { monthlyCredits: 10_000, models: ["model-a-mini", "blind"] } }
}

const setUp = (usage?: { readonly input: number; readonly output: number }, config: object = CONFIG) => {
  const model = scriptedModel(() => says(["yes"], usage))
  const seen = () =>
    (model.requests.at(-1)?.messages ?? []).flatMap(({ content, images = [] }) =>
      images.length === 0 ? [] : [[content, ...images.map(({ id }) => id)]]
    )
  return { model, seen, services: world(model, config) }
}

const add = (userId: string, bytes = png(750, 100)) =>
  Effect.map(
    ImageService.use((images) => images.add(userId, bytes)),
    ({ id }) => id
  )

const asking = (content: string, ...imageIds: ReadonlyArray<string>) => ({
  messages: [{ role: "user", content, imageIds }]
})

const issuesOf = (effect: ReturnType<typeof ask>) =>
  Effect.map(Effect.flip(effect), (error) =>
    error._tag === "InvalidChatRequest" ? error.issues.map(({ path, message }) => `${path}: ${message}`) : [error._tag]
  )

describe("an image", () => {
  it.live("goes to the model with its message, and again with the later questions of the chat", () => {
    const { seen, services } = setUp()
    return Effect.gen(function* () {
      const [one, two, three] = [yield* add("ann"), yield* add("ann"), yield* add("ann")]
      const { reply } = yield* ask("ann", "", asking("What is it?", one, two))
      assert.deepStrictEqual(seen(), [["What is it?", one, two]])
      const { chatId } = reply
      yield* ask("ann", "", { ...asking("And this?", three), chatId })
      assert.deepStrictEqual(seen(), [
        ["What is it?", one, two],
        ["And this?", three]
      ])
      yield* ask("ann", "Thanks", { chatId, modelId: "blind" })
      assert.deepStrictEqual(seen(), [])
    }).pipe(Effect.provide(services))
  })

  it.live(
    "of a message without text goes to the model again with the later questions, and never an empty message",
    () => {
      const { model, seen, services } = setUp()
      return Effect.gen(function* () {
        const [one, two] = [yield* add("ann"), yield* add("ann")]
        const [without, again] = [asking("", one, two).messages[0], asking("Look.", two).messages[0]]
        const { reply } = yield* ask("ann", "", { messages: [without, asking("", two).messages[0], again] })
        yield* ask("ann", "And now?", { chatId: reply.chatId })
        assert.deepStrictEqual(seen(), [
          ["", one],
          ["Look.", two]
        ])
        for (const { messages } of model.requests)
          for (const { content, images = [] } of messages) assert.isTrue(content !== "" || images.length > 0)
      }).pipe(Effect.provide(services))
    }
  )

  it.live("beyond the newest eight is not sent again", () => {
    const { seen, services } = setUp()
    return Effect.gen(function* () {
      const ids = yield* Effect.all(Array.from({ length: 12 }, () => add("ann")))
      const { reply } = yield* ask("ann", "", asking("1", ...ids.slice(0, 4)))
      const { chatId } = reply
      yield* ask("ann", "", { ...asking("2", ...ids.slice(4, 8)), chatId })
      yield* ask("ann", "", { ...asking("3", ...ids.slice(8)), chatId })
      assert.deepStrictEqual(seen(), [
        ["2", ...ids.slice(4, 8)],
        ["3", ...ids.slice(8)]
      ])
    }).pipe(Effect.provide(services))
  })

  it.live("is sent once, with the newest message that has it", () => {
    const { model, seen, services } = setUp()
    return Effect.gen(function* () {
      const [one, two] = [yield* add("ann"), yield* add("ann")]
      const messages = [two, ...Array.from({ length: 30 }, () => one)].map((id, place) => ({
        role: "user",
        content: `${place}`,
        imageIds: [id]
      }))
      yield* ask("ann", "", { messages })
      assert.deepStrictEqual(seen(), [
        ["0", two],
        ["30", one]
      ])
      assert.strictEqual(model.requests.length, 1)
    }).pipe(Effect.provide(services))
  })

  it.live("of a message of the assistant or of the system is refused", () => {
    const { model, services } = setUp()
    return Effect.gen(function* () {
      const image = yield* add("ann")
      for (const role of ["assistant", "system"]) {
        const messages = [{ role, content: "Look", imageIds: [image] }, ...asking("What is it?").messages]
        const issues = yield* issuesOf(ask("ann", "", { messages }))
        assert.deepStrictEqual(issues, [
          "messages[0].imageIds: Expected no images: only messages of the user have some"
        ])
      }
      assert.strictEqual(model.requests.length, 0)
    }).pipe(Effect.provide(services))
  })

  it.live(
    "of another person, of another chat, or for a model that sees none is refused, and nothing is charged",
    () => {
      const { model, seen, services } = setUp()
      return Effect.gen(function* () {
        const [mine, theirs] = [yield* add("ann"), yield* add("bob")]
        const other = [
          "messages[0].imageIds: Expected images of yours that no other chat has, of at most 8 MB together"
        ]
        assert.deepStrictEqual(yield* issuesOf(ask("ann", "", asking("Hm?", mine, theirs))), other)
        assert.deepStrictEqual(yield* issuesOf(ask("ann", "", { ...asking("Hm?", mine), modelId: "blind" })), [
          "modelId: Expected a model that sees images: model-a-mini"
        ])
        assert.strictEqual(model.requests.length, 0)
        const { reply } = yield* ask("ann", "", asking("Hm?", mine))
        assert.deepStrictEqual(yield* issuesOf(ask("ann", "", asking("Hm?", mine))), other)
        const before = yield* balance("ann")
        const { chatId } = reply
        const found = yield* ChatStore.use((chats) => chats.transcript({ owner: { person: "ann" }, chatId, limit: 9 }))
        const again = { messages: [], chatId, parentMessageId: found?.messages[0]?.id }
        assert.deepStrictEqual(yield* issuesOf(ask("ann", "", { ...again, modelId: "blind" })), [
          "modelId: Expected a model that sees images: model-a-mini"
        ])
        assert.deepStrictEqual(yield* balance("ann"), before)
        yield* ask("ann", "", again)
        assert.deepStrictEqual(seen(), [["Hm?", mine]])
      }).pipe(Effect.provide(services))
    }
  )

  it.live("is refused if it is too large, too long, or no image", () => {
    const { services } = setUp()
    return Effect.gen(function* () {
      const refusal = (bytes: Uint8Array) =>
        Effect.map(Effect.flip(add("ann", bytes)), (error) => `${error._tag}: ${error.message}`)
      assert.include(yield* refusal(png(10, 10, 2 * 1024 * 1024 + 1)), "InvalidImage: The image has more than 2 MB.")
      assert.include(yield* refusal(png(8_001, 10)), "InvalidImage: The image is 8001 pixels long.")
      assert.include(yield* refusal(new TextEncoder().encode("<svg/>")), "InvalidImage: This is no PNG")
      assert.include(yield* refusal(png(0, 10)), "InvalidImage: This is no PNG")
    }).pipe(Effect.provide(services))
  })

  it.live("counts towards the bytes of the person's chats", () => {
    const tiers = { free: { ...CONFIG.tiers.free, maxChatBytes: 100_000 } }
    const { services } = setUp(undefined, { ...CONFIG, tiers })
    return Effect.gen(function* () {
      yield* add("ann", png(10, 10, 60_000))
      const error = yield* Effect.flip(add("ann", png(10, 10, 60_000)))
      assert.strictEqual(error._tag, "StorageQuotaExceeded")
      yield* add("bob", png(10, 10, 60_000))
    }).pipe(Effect.provide(services))
  })
})

it.effect("images that no message had for a day fill no quota: a person uploads and asks again", () => {
  const tiers = { free: { ...CONFIG.tiers.free, maxChatBytes: 100_000 } }
  const { services } = setUp(undefined, { ...CONFIG, tiers })
  return Effect.gen(function* () {
    yield* add("ann", png(10, 10, 90_000))
    assert.strictEqual((yield* Effect.flip(add("ann", png(10, 10, 90_000))))._tag, "StorageQuotaExceeded")
    yield* TestClock.adjust("25 hours")
    yield* add("ann", png(10, 10, 90_000))
  }).pipe(Effect.provide(services))
})

describe("the price of images", () => {
  const spent = Effect.map(balance("ann"), ({ allowance }) => 10_000 - allowance)

  it.live("is held before the model is asked: the most tokens of each, whatever their size", () => {
    const { model, services } = setUp()
    return Effect.gen(function* () {
      const credits = yield* CreditService
      const held: Array<number> = []
      const noted = Effect.map(Effect.orDie(credits.balance("ann")), (now) => {
        held.push(now.held)
        return says(["yes"])
      })
      model.parts = () => Stream.unwrap(noted)
      yield* ask("ann", "What is it?")
      yield* ask("ann", "", asking("What is it?", yield* add("ann", png(10, 10))))
      yield* ask("ann", "", asking("What is it?", yield* add("ann", png(8_000, 8_000)), yield* add("ann")))
      const [none = 0, one = 0, two = 0] = held
      // 4,800 tokens at 10 credits for 1,000 of them.
      assert.deepStrictEqual([one - none, two - none], [48, 96])
    }).pipe(Effect.provide(services))
  })

  it.live("is that of the vendor's own count, and by their pixels if it reports none", () => {
    const reported = setUp({ input: 3_000, output: 1 })
    const silent = setUp()
    return Effect.gen(function* () {
      const one = yield* Effect.gen(function* () {
        yield* ask("ann", "", asking("What is it?", yield* add("ann", png(1_500, 1_000))))
        return yield* spent
      }).pipe(Effect.provide(reported.services))
      assert.strictEqual(one, Math.ceil(3_001 / 100))
      const [plain, withImage] = yield* Effect.gen(function* () {
        yield* ask("ann", "What is it?")
        const before = yield* spent
        // 1,500 by 300 pixels are 600 tokens, 6 credits.
        yield* ask("ann", "", asking("What is it?", yield* add("ann", png(1_500, 300))))
        return [before, (yield* spent) - before]
      }).pipe(Effect.provide(silent.services))
      assert.strictEqual((withImage ?? 0) - (plain ?? 0), 6)
    })
  })

  it.live("without a count of the vendor is that of whole patches, and never more than the model counts", () => {
    const priced = (imageTokens: number) =>
      setUp(undefined, {
        ...CONFIG,
        models: {
          ...CONFIG.models,
          "model-a-mini": { ...CONFIG.models["model-a-mini"], creditsPer1kInput: 1_000, imageTokens }
        }
      })
    const costs = (bytes: Uint8Array) =>
      Effect.gen(function* () {
        yield* ask("ann", "What is it?")
        const before = yield* spent
        yield* ask("ann", "", asking("What is it?", yield* add("ann", bytes)))
        return (yield* spent) - 2 * before
      })
    return Effect.gen(function* () {
      // 8,000 pixels are 286 patches of 28.
      const thin = yield* Effect.provide(costs(png(8_000, 1)), priced(4_800).services)
      const large = yield* Effect.provide(costs(png(8_000, 8_000)), priced(4_800).services)
      const small = yield* Effect.provide(costs(png(1_500, 1_000)), priced(85).services)
      assert.deepStrictEqual([thin, large, small], [286, 4_800, 85])
    })
  })

  it.live("a model with images says so, and one without does not", () => {
    const { services } = setUp()
    return Effect.gen(function* () {
      const { models } = yield* ModelOffers.use((offers) => offers.models("ann"))
      const sees = models.filter(({ allowed }) => allowed).map(({ id, seesImages }) => [id, seesImages])
      assert.deepStrictEqual(sees, [
        ["model-a-mini", true],
        ["blind", false]
      ])
    }).pipe(Effect.provide(services))
  })
})

describe("the header of an image", () => {
  const bytesOf = (...parts: ReadonlyArray<string | ReadonlyArray<number>>) =>
    new Uint8Array(
      parts.flatMap((part) => (typeof part === "string" ? [...part].map((each) => each.charCodeAt(0)) : part))
    )
  const padding = Array.from({ length: 32 }, () => 0)

  it("names the format and the size of PNG, JPEG, GIF and the three kinds of WebP", () => {
    const sizes = [
      png(3, 5),
      bytesOf([0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 1, 0xff, 0xff, 0xc2, 0, 17, 8, 0, 5, 0, 3], padding),
      bytesOf("GIF89a", [3, 0, 5, 0, 0, 0, 0, 0x2c, 0, 0, 0, 0, 3, 0, 5, 0, 0], padding),
      bytesOf("RIFF", [0, 0, 0, 0], "WEBPVP8 ", [0, 0, 0, 0, 0, 0, 0, 0x9d, 1, 0x2a, 3, 0, 5, 0], padding),
      bytesOf("RIFF", [0, 0, 0, 0], "WEBPVP8L", [0, 0, 0, 0, 0x2f, 2, 0, 1, 0], padding),
      bytesOf("RIFF", [0, 0, 0, 0], "WEBPVP8X", [0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 4, 0, 0], padding)
    ].map(imageHeader)
    const types = ["png", "jpeg", "gif", "webp", "webp", "webp"]
    assert.deepStrictEqual(
      sizes,
      types.map((type) => ({ mediaType: `image/${type}`, width: 3, height: 5 }) as ReturnType<typeof imageHeader>)
    )
  })

  it("of any bytes is read without an error, and has a size", () => {
    const beginnings = [
      ...[
        [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a],
        [0xff, 0xd8, 0xff]
      ],
      ...["GIF87a", "GIF89a", "RIFF0000WEBPVP8 ", "RIFF0000WEBPVP8L", "RIFF0000WEBPVP8X"].map((text) => [
        ...new TextEncoder().encode(text)
      ])
    ]
    const part = fc.oneof(fc.constantFrom(0xff, 0xd8, 0xe0, 0xc0, 0xc4, 0), fc.nat(255))
    const image = fc.tuple(fc.constantFrom([], ...beginnings), fc.array(part, { maxLength: 80 }), fc.nat(8))
    fc.assert(
      fc.property(image, ([beginning, rest, offset]) => {
        const all = new Uint8Array([...Array.from({ length: offset }, () => 0xff), ...beginning, ...rest])
        const header = imageHeader(all.subarray(offset))
        if (header === undefined) return
        assert.isAbove(Math.min(header.width, header.height), 0)
        assert.isTrue(Number.isSafeInteger(header.width * header.height))
      }),
      { numRuns: 20_000 }
    )
  })

  it("of two megabytes of markers is read to its end within a second", () => {
    for (const marker of [
      [0xff, 0xff],
      [0xff, 0xe0, 0, 2],
      [0xff, 0xe0, 0, 0]
    ]) {
      const bytes = new Uint8Array(2 * 1024 * 1024).map((_, place) => marker[place % marker.length] ?? 0)
      bytes.set([0xff, 0xd8])
      const before = performance.now()
      assert.isUndefined(imageHeader(bytes))
      assert.isBelow(performance.now() - before, 1_000)
    }
  })

  it("has the size that decoders find: behind no marker that hides a frame, and of the first frame of a GIF", () => {
    const frame = (high: number, wide: number) => [0xff, 0xc0, 0, 17, 8, 0, high, 0, wide, 3]
    // A decoder reads no length behind these markers, and finds the frame that follows.
    for (const marker of [0x01, 0xd0, 0xd7, 0xd8, 0xd9, 0xda]) {
      const image = bytesOf(
        [0xff, 0xd8, 0xff, marker],
        frame(9, 9),
        Array.from({ length: 70_000 }, () => 0xff),
        frame(1, 1)
      )
      assert.deepInclude(imageHeader(image) ?? { width: 9, height: 9 }, { width: 9, height: 9 })
    }
    const gif = (...blocks: ReadonlyArray<ReadonlyArray<number>>) =>
      imageHeader(bytesOf("GIF89a", [1, 0, 1, 0, 0x80, 0, 0], [0, 0, 0, 255, 255, 255], ...blocks, padding))
    const first = [0x2c, 1, 0, 2, 0, 0x10, 0x27, 5, 0, 0]
    const comment = [0x21, 0xfe, 3, 0x2c, 0, 0, 1, 7, 0]
    for (const header of [gif(first), gif(comment, first), gif(comment, comment, first, first)]) {
      assert.deepInclude(header, { width: 10_001, height: 7 })
    }
    assert.deepInclude(gif([0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0]), { width: 1, height: 1 })
    assert.isUndefined(gif(comment))
  })

  it("is missing in everything that ends early or is no image", () => {
    const whole = bytesOf([0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 1, 0xff, 0xc0, 0, 17, 8, 0, 5, 0, 3, 0, 0])
    assert.isDefined(imageHeader(whole))
    for (let length = 0; length < 18; length++) assert.isUndefined(imageHeader(whole.subarray(0, length)))
    assert.isUndefined(imageHeader(bytesOf([0xff, 0xd8, 0xff], padding)))
    assert.isUndefined(imageHeader(bytesOf("RIFF", [0, 0, 0, 0], "WEBPVP8?", padding)))
    assert.isUndefined(imageHeader(new Uint8Array()))
  })
})
