import { readFile, readdir } from "node:fs/promises"
import { createParley, openInMemory } from "@parley/core"
import type { Source } from "@parley/core/reading"
import { DocumentParser, type ParsedDocument } from "@parley/core/adapter"
import { reflow } from "@parley/core/reading"
import { Effect } from "effect"
import { chatModels, OfflineChatModel } from "../../src/index.ts"
import type { Question } from "./questions.ts"

const FOLDER = new URL("documents/", import.meta.url)

/** The fixtures are texts, which need no parser of their own. */
const readText = (bytes: Uint8Array): ParsedDocument => ({ text: new TextDecoder().decode(bytes), pageStarts: null })
const parser = DocumentParser.of({ parse: ({ bytes }) => Effect.sync(() => readText(bytes)) })

export interface Quote {
  readonly text: string
  readonly number: number
  readonly filename: string
}

export interface Answered {
  readonly text: string
  /** The quotations of the reply, in order, with the file of the cited passage. */
  readonly quotes: ReadonlyArray<Quote>
  readonly sources: ReadonlyArray<Source>
}

/** True if a passage contains these words in this order, with its lines joined. */
export const saysWords = (passage: string, words: string): boolean =>
  reflow(passage).text.replaceAll(/\s+/g, " ").includes(words)

/**
 * The fixture documents, uploaded by one person into a Parley in memory; asks about all of them, through search, prompt and
 * the offline model, as a server does.
 */
export const openDocuments = async () => {
  const parley = await createParley({
    ...(await openInMemory()),
    parser,
    models: chatModels({ offline: new OfflineChatModel({ behaviour: { tokenDelayMs: 0 } }) }),
    config: { tiers: { free: { monthlyCredits: 10_000_000 } } }
  })
  for (const filename of await readdir(FOLDER)) {
    await parley.documents.upload({ userId: "ann", filename, bytes: await readFile(new URL(filename, FOLDER)) })
  }
  const documents = async () => {
    for (;;) {
      const found = await parley.documents.list("ann")
      if (found.every(({ status }) => status !== "processing")) return found
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  const documentIds = (await documents()).map(({ id }) => id)

  const ask = async (question: string): Promise<Answered> => {
    const reply = await parley.chat.send("ann", { messages: [{ role: "user", content: question }], documentIds })
    const text = await reply.text()
    const quotes = [...text.matchAll(/“([^”]*)” \[(\d+)\]/g)].map(([, quote, number]) => ({
      text: quote ?? "",
      number: Number(number),
      filename: reply.sources.find((source) => source.number === Number(number))?.filename ?? "none"
    }))
    return { text, quotes, sources: reply.sources }
  }
  return { ask, close: () => parley.close() }
}

/**
 * An answer is right if its first quotation contains the expected words, from the right document; if no document
 * answers, if it has no quotation.
 */
export const isRight = ({ answer }: Question, { quotes }: Answered): boolean => {
  if (answer === undefined) return quotes.length === 0
  const [file, words] = answer
  return quotes[0]?.filename === file && quotes[0].text.includes(words)
}
