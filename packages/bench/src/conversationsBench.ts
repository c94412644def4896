/**
 * Asks the questions of conversations about documents one after another, as a person would, and counts the questions
 * for which a model is offered the passages that answer them. `npm run bench:conversations`; `-- --missed` also prints
 * the other questions, with the offered passages. All stores are in memory, and the search uses words only. The
 * conversations in `data/conversations` were written without looking at the search. The replies are recorded ones that
 * cite the passages with the answer.
 */
import { readFile } from "node:fs/promises"
import { parseArgs } from "node:util"
import { openDocumentParser } from "@parley/adapters-documents"
import { createParley, openInMemory, type Parley } from "@parley/core"
import { ChatModels, pieceTokenizer, readPassages } from "@parley/core/adapter"
import type { Source } from "@parley/core/reading"
import { Effect, Stream } from "effect"

interface Evidence {
  readonly file: string
  readonly quote: string
}

interface AskedQuestion {
  readonly text: string
  readonly kind: string
  readonly reply: string
  readonly evidence: ReadonlyArray<Evidence>
  readonly need: "all" | "any"
}

interface Conversation {
  readonly id: string
  readonly documents: ReadonlyArray<string>
  readonly questions: ReadonlyArray<AskedQuestion>
}

interface Judged {
  readonly conversation: string
  readonly question: AskedQuestion
  readonly isRight: boolean
  readonly sources: ReadonlyArray<Source>
}

const GOAL = 0.9
const DATA = new URL("../data/conversations/", import.meta.url)
const { values: flags } = parseArgs({ options: { missed: { type: "boolean", default: false } } })

/** Reduces white space to single spaces, because tables contain spaces without meaning. */
const plain = (text: string): string => text.replaceAll(/\s+/g, " ")

const has = (passage: string, quote: string): boolean => plain(passage).includes(plain(quote))

/** The question that the model is answering at the moment. */
let asked: AskedQuestion | undefined

/** A model that writes the recorded reply, with citations of the passages that contain the answer. */
const recordedModel = ChatModels.of({
  resolve: () =>
    Effect.succeed({
      name: "recorded",
      stream: ({ messages }) => {
        const passages = messages.flatMap(({ content }) => readPassages(content) ?? [])
        const cited = asked?.evidence.flatMap(({ quote }) => passages.find(({ text }) => has(text, quote)) ?? []) ?? []
        const text = `${asked?.reply ?? ""} ${cited.map(({ number }) => `[${number}]`).join("")}`
        return Stream.make({ _tag: "text-delta", text }, { _tag: "end", reason: "completed", usage: undefined })
      }
    })
})

const isRight = ({ evidence, need }: AskedQuestion, sources: ReadonlyArray<Source>): boolean => {
  const isOffered = ({ file, quote }: Evidence) =>
    sources.some(({ filename, text }) => filename === file && has(text, quote))
  return need === "all" ? evidence.every(isOffered) : evidence.some(isOffered)
}

const uploadAll = async (parley: Parley, userId: string, files: Iterable<string>) => {
  const ids = new Map<string, string>()
  for (const filename of files) {
    const bytes = await readFile(new URL(`documents/${filename}`, DATA))
    const { id } = await parley.documents.upload({ userId, filename, bytes })
    while ((await parley.documents.get(userId, id)).status === "processing") {
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    ids.set(filename, id)
  }
  return ids
}

const askAll = async (parley: Parley, { documents, id, questions }: Conversation): Promise<ReadonlyArray<Judged>> => {
  const ids = await uploadAll(parley, id, documents)
  const judged: Array<Judged> = []
  let chatId: string | undefined
  for (const question of questions) {
    asked = question
    const reply = await parley.chat.send(id, {
      messages: [{ role: "user", content: question.text }],
      documentIds: [...ids.values()],
      ...(chatId === undefined ? {} : { chatId })
    })
    await reply.text()
    chatId = reply.chatId
    judged.push({ conversation: id, question, isRight: isRight(question, reply.sources), sources: reply.sources })
  }
  return judged
}

const print = (judged: ReadonlyArray<Judged>): void => {
  for (const [kind, ofKind] of Map.groupBy(judged, ({ question }) => question.kind)) {
    console.log(`${kind.padEnd(12)} ${ofKind.filter((each) => each.isRight).length} of ${ofKind.length}`)
  }
  const offered = judged.map(({ sources }) => sources.length).toSorted((one, other) => one - other)
  console.log(`passages offered: ${offered[Math.floor(offered.length / 2)]} in the median, ${offered.at(-1)} at most`)
  const tokens = judged.map(({ sources }) =>
    sources.reduce((sum, { text }) => sum + pieceTokenizer.count(text).estimate, 0)
  )
  const mean = tokens.reduce((sum, each) => sum + each, 0) / Math.max(1, tokens.length)
  console.log(`tokens of passages a question: ${Math.round(mean)} on average, ${Math.max(...tokens)} at most`)
  for (const { conversation, isRight: right, question, sources } of flags.missed ? judged : []) {
    if (right) continue
    console.log(
      `\n${conversation}: ${question.text}\n  needed: ${question.evidence.map(({ quote }) => quote).join(" | ")}`
    )
    for (const { filename, number, text } of sources)
      console.log(`  [${number}] ${filename}: ${plain(text).slice(0, 90)}`)
  }
}

const { close, parser } = await openDocumentParser()
const parley = await createParley({
  ...(await openInMemory()),
  parser,
  models: recordedModel,
  config: { tiers: { free: { monthlyCredits: 1_000_000, maxDocuments: 100 } } }
})
const conversations = JSON.parse(
  await readFile(new URL("conversations.json", DATA), "utf8")
) as ReadonlyArray<Conversation>
const judged: Array<Judged> = []
for (const conversation of conversations) judged.push(...(await askAll(parley, conversation)))
print(judged)
const right = judged.filter((each) => each.isRight).length
console.log(`${right} of ${judged.length} right (goal ${Math.ceil(GOAL * judged.length)})`)
process.exitCode = right < GOAL * judged.length ? 1 : 0
await parley.close()
await close()
