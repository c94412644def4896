import { assert, describe, it } from "@effect/vitest"
import { DocumentService, settingsLayer } from "@parley/core/effect"
import { DocumentParser, Embedder, PassageEmbedder } from "@parley/core/adapter"
import { Effect, Layer, Result } from "effect"
import { asksForWhole } from "../../src/documents/searching/relevantPassages.ts"
import { searchedQuestions } from "../../src/chat/sources/findSources.ts"
import { pieceTokenizer } from "../../src/tokens/pieceTokenizer.ts"
import { ask, reading, says, scriptedModel, world } from "./world.ts"

const FILLER = "The weather stays as it is, and the garden is watered in the evening. ".repeat(12)

/** A text far over the budget for whole documents: a section for each year and subject. */
const reportOf = (company: string) =>
  [
    `# ${company}\n\nThe annual report of ${company} begins here. ${FILLER}`,
    ...Array.from({ length: 60 }, (_, place) => {
      const year = 1_960 + place
      return `Revenue of ${company} in ${year} amounted to ${year * 7} crowns. ${FILLER}`
    })
  ].join("\n\n")

const SHORT = "Storks return in March.\n\nThey nest on chimneys."

const answering = (...texts: ReadonlyArray<string>) => {
  const left = [...texts]
  return scriptedModel(() => says([left.shift() ?? "Yes."]))
}

describe("documents that fit the budget together", () => {
  it.live("are offered whole, also for a question that shares no word with them", () =>
    Effect.gen(function* () {
      const documentIds = yield* reading("ann", SHORT, "The invoice is due on Friday.")
      const { reply } = yield* ask("ann", "Wann kommen die Vögel?", { documentIds })
      assert.strictEqual(
        reply.sources.map(({ text }) => text).join("\n\n"),
        `${SHORT}\n\nThe invoice is due on Friday.`
      )
      assert.deepStrictEqual(reply.unreadDocuments, [])
    }).pipe(Effect.provide(world(answering())))
  )

  it.live("come after the passages that a search finds", () =>
    Effect.gen(function* () {
      const documentIds = yield* reading("ann", SHORT, "The invoice is due on Friday.")
      const { reply } = yield* ask("ann", "When is the invoice due?", { documentIds })
      assert.deepStrictEqual(
        reply.sources.map(({ documentId }) => documentIds.indexOf(documentId)),
        [1, 0]
      )
    }).pipe(Effect.provide(world(answering())))
  )

  it.live("have the same numbers for every question that continues a chat", () =>
    Effect.gen(function* () {
      const documentIds = yield* reading("ann", SHORT, "The invoice is due on Friday.")
      const numbered: Array<string> = []
      const begun = yield* ask("ann", "Hello", { documentIds })
      const { chatId } = begun.reply
      for (const question of ["When is the invoice due?", "Where do storks nest?", "When do storks return?"]) {
        const { reply } = yield* ask("ann", question, { chatId, documentIds })
        numbered.push(
          reply.sources
            .toSorted((one, other) => one.number - other.number)
            .map(({ number, text }) => `${number} ${text}`)
            .join("\n")
        )
      }
      assert.strictEqual(new Set(numbered).size, 1)
    }).pipe(Effect.provide(world(answering())))
  )

  it.live("are not offered whole with a budget of no tokens", () =>
    Effect.gen(function* () {
      const documentIds = yield* reading("ann", SHORT)
      const { reply } = yield* ask("ann", "Wann kommen die Vögel?", { documentIds })
      assert.deepStrictEqual(reply.sources, [])
      assert.deepStrictEqual(reply.unreadDocuments, documentIds)
    }).pipe(Effect.provide(Layer.merge(world(answering()), settingsLayer({ replies: { wholeTokens: 0 } }))))
  )

  it.live("with equal texts take one place", () =>
    Effect.gen(function* () {
      const documentIds = yield* reading("ann", SHORT, SHORT)
      const { reply } = yield* ask("ann", "When do storks return?", { documentIds })
      assert.lengthOf(reply.sources, 1)
      assert.deepStrictEqual(reply.unreadDocuments, [])
    }).pipe(Effect.provide(world(answering())))
  )
})

describe("the passages that a search finds", () => {
  const asking = (passageTokens: number) =>
    Effect.gen(function* () {
      const documentIds = yield* reading("ann", reportOf("Lumen"))
      const { reply } = yield* ask("ann", "What was the revenue of Lumen?", { documentIds })
      return reply.sources
    }).pipe(Effect.provide(Layer.merge(world(answering()), settingsLayer({ replies: { passageTokens } }))))

  it.live("take the given tokens, and no more", () =>
    Effect.gen(function* () {
      for (const passageTokens of [700, 3_000]) {
        const tokens = (yield* asking(passageTokens)).map(({ text }) => pieceTokenizer.count(text).estimate)
        const used = tokens.reduce((sum, each) => sum + each, 0)
        assert.isAtMost(used, passageTokens)
        assert.isAbove(used + Math.max(...tokens), passageTokens)
      }
    })
  )

  it.live("are the best one alone if the tokens are fewer than it has", () =>
    Effect.gen(function* () {
      assert.lengthOf(yield* asking(1), 1)
    })
  )

  it.live("are only those near the best one, though there are tokens left", () =>
    Effect.gen(function* () {
      const documentIds = yield* reading("ann", reportOf("Lumen"))
      const { reply } = yield* ask("ann", "Revenue in 1987, 1987 crowns and 13909?", { documentIds })
      assert.include(reply.sources[0]?.text, "13909")
      assert.isBelow(reply.sources.length, 10)
    }).pipe(Effect.provide(world(answering())))
  )
})

describe("a question in another language than the documents", () => {
  const WARRANTY = "The warranty covers every part for two years."
  const report = `${reportOf("Lumen")}\n\n${WARRANTY} ${"It is long. ".repeat(90)}\n\n${FILLER}`
  const question = "Wie lange gilt die Garantie?"
  const asking = Effect.gen(function* () {
    const documentIds = yield* reading("ann", report)
    return { documentIds, reply: (yield* ask("ann", question, { documentIds })).reply }
  })

  it.live("finds the passage by a multilingual embedder, though they share no word", () => {
    const meaningOf = (text: string) => (/warranty|Garantie/.test(text) ? [1, 0.1] : [0.1, 1])
    const embedder = Embedder.of({
      name: "test/multilingual",
      dimensions: 2,
      limits: { textsPerRequest: 10, tokensPerRequest: 100_000, tokensPerText: 8_000, concurrency: 1 },
      relevantFrom: 0.9,
      embed: (texts) => Effect.succeed(texts.map((text) => Result.succeed(meaningOf(text))))
    })
    return Effect.gen(function* () {
      const { reply } = yield* asking
      assert.deepStrictEqual(
        reply.sources.map(({ text }) => text.includes(WARRANTY)),
        [true]
      )
    }).pipe(Effect.provide(Layer.provide(world(answering()), Layer.succeed(PassageEmbedder, embedder))))
  })

  it.live("finds nothing by words, and the reply names the document as unread", () =>
    Effect.gen(function* () {
      const { documentIds, reply } = yield* asking
      assert.deepStrictEqual(reply.sources, [])
      assert.deepStrictEqual(reply.unreadDocuments, documentIds)
    }).pipe(Effect.provide(world(answering())))
  )
})

describe("the outline of a document beyond the budget", () => {
  const sections = Array.from({ length: 60 }, (_, place) => `Part ${place}\n\n${FILLER}`)
  const text = sections.join("\n\n")
  const headings = sections.map((section, place) => ({
    level: place % 6 === 0 ? 1 : 2,
    title: `Part ${place}`,
    start: text.indexOf(section)
  }))
  const parser = DocumentParser.of({ parse: () => Effect.succeed({ text, pageStarts: null, headings }) })
  const promptFor = (question: string, replies = {}) => {
    const model = answering()
    return Effect.gen(function* () {
      const documentIds = yield* reading("ann", "any")
      const { reply } = yield* ask("ann", question, { documentIds })
      const prompt = model.requests[0]?.messages.map(({ content }) => content).join("\n") ?? ""
      return { prompt, sources: reply.sources }
    }).pipe(Effect.provide(Layer.merge(world(model, {}, undefined, parser), settingsLayer({ replies }))))
  }

  it.live("is in the prompt of a question about the whole, with passages from its beginning on", () =>
    Effect.gen(function* () {
      const { prompt, sources } = yield* promptFor("What is this about?")
      assert.include(prompt, 'Headings of "0.md", which have no number and are not cited\n| Part 0\n|   Part 1\n')
      assert.include(prompt, "|   Part 59\n[1] from")
      assert.include(sources[0]?.text, "Part 0\n")
    })
  )

  it.live("is not in the prompt of another question", () =>
    Effect.gen(function* () {
      assert.notInclude((yield* promptFor("Which garden is watered?")).prompt, "Headings of")
    })
  )

  it.live("takes an eighth of the tokens, without the deeper headings if need be", () =>
    Effect.gen(function* () {
      const { prompt, sources } = yield* promptFor("Summarise this.", { wholeTokens: 800 })
      assert.include(prompt, "| Part 54\n[1] from")
      assert.notInclude(prompt, "|   Part 1\n")
      const tokens = sources.map((source) => pieceTokenizer.count(source.text).estimate)
      assert.isAtMost(
        tokens.reduce((sum, each) => sum + each, 0),
        800
      )
    })
  )

  it.live("has a passage beside it for any number of tokens, so that the list is never empty", () =>
    Effect.gen(function* () {
      assert.lengthOf((yield* promptFor("要約して", { wholeTokens: 1 })).sources, 1)
    })
  )
})

describe("documents beyond the budget", () => {
  it.live("are represented from their beginning to their end when a summary is asked for", () =>
    Effect.gen(function* () {
      const documentIds = yield* reading("ann", reportOf("Lumen"))
      const { reply } = yield* ask("ann", "Fasse das Dokument zusammen.", { documentIds })
      const text = reply.sources.map((source) => source.text).join("\n")
      assert.include(text, "The annual report of Lumen begins here")
      for (const decade of ["196", "197", "198", "199", "200", "201"])
        assert.include(text, `Revenue of Lumen in ${decade}`)
      assert.isAbove(reply.sources.length, 20)
    }).pipe(Effect.provide(world(answering())))
  )

  it.live("are represented to their end also within few tokens", () =>
    Effect.gen(function* () {
      const documentIds = yield* reading("ann", reportOf("Lumen"), reportOf("Norvik"))
      const { reply } = yield* ask("ann", "Summarise these documents", { documentIds })
      const text = reply.sources.map((source) => source.text).join("\n")
      for (const company of ["Lumen", "Norvik"]) assert.match(text, new RegExp(`Revenue of ${company} in 20`))
      assert.isBelow(reply.sources.length, 20)
    }).pipe(
      Effect.provide(
        Layer.merge(world(answering()), settingsLayer({ replies: { wholeTokens: 2_000, passageTokens: 1 } }))
      )
    )
  )

  it.live("of which nothing was found are named as unread", () =>
    Effect.gen(function* () {
      const documentIds = yield* reading("ann", reportOf("Lumen"), FILLER.repeat(60))
      const { reply } = yield* ask("ann", "What was the revenue of Lumen in 1999?", { documentIds })
      assert.include(reply.sources[0]?.text ?? "", "Revenue of Lumen in 1999")
      assert.deepStrictEqual(reply.unreadDocuments, documentIds.slice(1))
    }).pipe(Effect.provide(world(answering())))
  )
})

describe("a question that continues another one", () => {
  it.live("finds what it means, with the passage that the last reply cites before it", () =>
    Effect.gen(function* () {
      const documentIds = yield* reading("ann", reportOf("Lumen"), reportOf("Norvik"))
      const first = yield* ask("ann", "What was the revenue of Norvik in 1987?", { documentIds })
      assert.include(first.reply.sources[0]?.text, "Revenue of Norvik in 1987")
      const { reply } = yield* ask("ann", "And in 2003?", { documentIds, chatId: first.reply.chatId })
      assert.include(reply.sources[0]?.text ?? "", "Revenue of Norvik in 1987")
      assert.isTrue(reply.sources.slice(0, 4).some(({ text }) => text.includes("Revenue of Norvik in 2003")))
    }).pipe(Effect.provide(world(answering("It was 13,909 [1].", "It was 14,021 [2]."))))
  )

  it.live("takes over no passage of a document that is no longer named", () =>
    Effect.gen(function* () {
      const [lumen = "", norvik = ""] = yield* reading("ann", reportOf("Lumen"), reportOf("Norvik"))
      const first = yield* ask("ann", "What was the revenue of Norvik in 1987?", { documentIds: [norvik] })
      const { reply } = yield* ask("ann", "And in 2003?", { documentIds: [lumen], chatId: first.reply.chatId })
      assert.isFalse(reply.sources.some(({ documentId }) => documentId === norvik))
    }).pipe(Effect.provide(world(answering("It was 13,909 [1]."))))
  )

  it("is searched together with the questions before it, back to one that is understood alone", () => {
    const long = "Which suppliers of the northern region delivered late more than twice during the last winter season?"
    const asked = (...questions: ReadonlyArray<string>) =>
      searchedQuestions(
        questions
          .flatMap(
            (content) =>
              [
                { role: "user", content },
                { role: "assistant", content: "Yes." }
              ] as const
          )
          .slice(0, -1)
      )
    assert.deepStrictEqual(asked(long), [long])
    assert.deepStrictEqual(asked("Hello", long), [long])
    assert.deepStrictEqual(asked("Hello", long, "And why?"), ["And why?", `And why?\n${long}`])
    assert.deepStrictEqual(asked(long, "Which ones?", "Why?"), ["Why?", `Why?\nWhich ones?\n${long}`])
  })
})

describe("a request with a filter", () => {
  const sourcesWith = (documentIds: ReadonlyArray<string>, documentFilter: object) =>
    Effect.map(ask("ann", "When is what due?", { documentIds, documentFilter }), ({ reply }) =>
      reply.sources.map(({ text }) => text)
    )

  it.live("reads the documents of its types and times, of those it names", () =>
    Effect.gen(function* () {
      const documentIds = yield* reading("ann", "The invoice is due on Friday.", "The rent is due in May.")
      yield* reading("ann", "The loan is due in June.")
      const [first] = yield* DocumentService.use((documents) => documents.list("ann"))
      const later = new Date((first?.createdAt ?? 0) + 1_000).toISOString()
      const all = ["The invoice is due on Friday.", "The rent is due in May."]
      assert.sameMembers(yield* sourcesWith(documentIds, { types: ["md", "pdf"], uploadedBefore: later }), all)
      assert.deepStrictEqual(yield* sourcesWith(documentIds, { types: ["pdf"] }), [])
      assert.deepStrictEqual(yield* sourcesWith(documentIds, { uploadedAfter: later }), [])
      assert.deepStrictEqual(yield* sourcesWith(documentIds, { uploadedBefore: "2020-01-01" }), [])
      assert.deepStrictEqual(yield* sourcesWith([], { types: ["md"] }), [])
    }).pipe(Effect.provide(world(answering())))
  )

  it.live("reads the passages below a heading", () => {
    const parser = DocumentParser.of({
      parse: () =>
        Effect.succeed({
          text: `Invoices\n${FILLER}They are due on Friday.\n\nRents\n${FILLER}They are due in May.`,
          pageStarts: null,
          headings: [
            { level: 1, title: "Invoices", start: 0 },
            { level: 1, title: "Rents", start: 9 + FILLER.length + 25 }
          ]
        })
    })
    return Effect.gen(function* () {
      const documentIds = yield* reading("ann", "any")
      const found = yield* sourcesWith(documentIds, { heading: " rent" })
      assert.isNotEmpty(found)
      assert.isTrue(found.every((text) => !text.includes("Friday")))
      assert.include(found.join(), "They are due in May.")
      assert.deepStrictEqual(yield* sourcesWith(documentIds, { heading: "Loans" }), [])
    }).pipe(Effect.provide(world(answering(), {}, undefined, parser)))
  })

  it.effect("is refused with the field's name if it cannot be understood", () =>
    Effect.gen(function* () {
      for (const [documentFilter, path] of [
        [{ types: ["exe"] }, "documentFilter.types[0]"],
        [{ types: Array.from({ length: 1_000 }, () => "pdf") }, "documentFilter.types"],
        [{ uploadedAfter: "yesterday" }, "documentFilter.uploadedAfter"],
        [{ uploadedAfter: "2026-02-31" }, "documentFilter.uploadedAfter"],
        [{ uploadedBefore: "2026-02-01T09:00" }, "documentFilter.uploadedBefore"],
        [{ heading: "a".repeat(201) }, "documentFilter.heading"],
        [{ heading: " " }, "documentFilter.heading"]
      ] as const) {
        const failure = yield* Effect.flip(ask("ann", "Hello", { documentFilter }))
        assert.strictEqual(failure._tag === "InvalidChatRequest" && failure.issues[0]?.path, path)
      }
    }).pipe(Effect.provide(world(answering())))
  )
})

describe("a document that is deleted", () => {
  it.live("is left out of the next message of a chat that named it, and is unknown to others", () =>
    Effect.gen(function* () {
      const documentIds = yield* reading("ann", SHORT, "The invoice is due on Friday.")
      const { reply } = yield* ask("ann", "When is it due?", { documentIds })
      yield* DocumentService.use((documents) => documents.remove("ann", documentIds[0] ?? ""))
      const next = yield* ask("ann", "And when do storks return?", { documentIds, chatId: reply.chatId })
      assert.deepStrictEqual([...new Set(next.reply.sources.map(({ documentId }) => documentId))], documentIds.slice(1))
      assert.strictEqual((yield* Effect.flip(ask("ann", "Hello", { documentIds })))._tag, "DocumentNotFound")
    }).pipe(Effect.provide(world(answering())))
  )

  it.live("stays refused in a chat if another person has it", () =>
    Effect.gen(function* () {
      const [bobs = ""] = yield* reading("bob", SHORT)
      const [anns = ""] = yield* reading("ann", "The invoice is due on Friday.")
      const { reply } = yield* ask("ann", "When is it due?", { documentIds: [anns] })
      const next = ask("ann", "And now?", { documentIds: [anns, bobs], chatId: reply.chatId })
      assert.strictEqual((yield* Effect.flip(next))._tag, "DocumentForbidden")
    }).pipe(Effect.provide(world(answering())))
  )
})

describe("a question about a whole document", () => {
  it.each([
    "Summarise this document",
    "Give me an overview.",
    "What is this about?",
    "What's the report about?",
    "Worum geht es hier?",
    "Fasse den Text zusammen",
    "De quoi parle ce document ?",
    "Fais un résumé",
    "¿De qué trata?",
    "Resume este documento",
    "Di cosa parla?",
    "Waar gaat dit over?",
    "Vad handlar det om?",
    "О чём этот документ?",
    "总结一下",
    "要約してください",
    "요약해 줘",
    "لخص المستند",
    "Özetle",
    "Streszcz ten plik"
  ])("is recognised: %s", (question) => {
    assert.isTrue(asksForWhole(question))
  })

  it.each([
    "When is the invoice due?",
    "And in 2023?",
    "What about part-time staff?",
    "How are you?",
    "What is it?",
    "How do I resume the download?",
    "За то чем платят?",
    "Wer ist der Versicherer?",
    "为什么变了？"
  ])("is not seen in: %s", (question) => {
    assert.isFalse(asksForWhole(question))
  })
})
