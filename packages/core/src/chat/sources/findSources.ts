import { Effect, Schema } from "effect"
import type { Document, FoundPassage, Passage } from "../../documents/Document.ts"
import { PassageIndex, type SearchInput } from "../../documents/indexing/PassageIndex.ts"
import { asksForWhole, nearBest, relevantPassages } from "../../documents/searching/relevantPassages.ts"
import { RERANKED, rerankFound, Reranker } from "../../documents/searching/Reranker.ts"
import type { UserId } from "../../identity/UserId.ts"
import type { ChatMessage } from "../../models/ChatMessage.ts"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import { Tokenizer } from "../../tokens/Tokenizer.ts"
import type { Source, StoredMessage } from "../store/StoredChat.ts"
import { citedNumbers } from "./citedNumbers.ts"
import { type DocumentOutline, outlinesOf, outlineText } from "./outline.ts"
import { tellingWords } from "../../documents/searching/searchTerms.ts"
import { DOCUMENT_TYPES } from "../../documents/documentTypes.ts"

const MOMENT = /^(\d{4})-(\d{2})-(\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/

/** `Date.parse` takes days that a month does not have for days of the next one. */
const isMoment = (text: string): boolean => {
  const [, year, month, day] = MOMENT.exec(text)?.map(Number) ?? []
  if (year === undefined || month === undefined || Number.isNaN(Date.parse(text))) return false
  return new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day
}

/** A time in the form of ISO 8601 with its zone, for example `2026-01-31T09:00:00Z`; a date alone is its first moment in UTC. */
const momentOf = (description: string) =>
  Schema.String.annotate({ description }).check(
    Schema.makeFilter((text: string) => isMoment(text) || "Expected a time like 2026-01-31T09:00:00Z")
  )

/** Longer than any stored title. */
const MAX_HEADING = 200

/** Narrows the documents that a request names, and the passages of them that are read. All given conditions must hold. */
export const DocumentFilter = Schema.Struct({
  types: Schema.optionalKey(
    Schema.Array(Schema.Literals(DOCUMENT_TYPES)).annotate({ description: "Only documents of these types." })
  ),
  uploadedAfter: Schema.optionalKey(momentOf("Only documents that were uploaded at this time or later.")),
  uploadedBefore: Schema.optionalKey(momentOf("Only documents that were uploaded before this time.")),
  heading: Schema.optionalKey(
    Schema.String.annotate({
      description: "Only passages below or beginning a heading that contains this text, in any case."
    }).check(
      Schema.makeFilter(
        (text: string) =>
          (text.trim() !== "" && text.length <= MAX_HEADING) ||
          `Expected a text of at most ${MAX_HEADING} characters that is not blank`
      )
    )
  )
}).annotate({
  identifier: "DocumentFilter",
  description:
    "Narrows the documents that a request names, and the passages of them that are read. All given conditions must hold."
})
export type DocumentFilter = typeof DocumentFilter.Type

/** True if a document fulfils the conditions on documents. */
export const admitsDocument = (
  { types, uploadedAfter, uploadedBefore }: DocumentFilter,
  { createdAt, type }: Document
): boolean =>
  (types === undefined || types.includes(type)) &&
  (uploadedAfter === undefined || createdAt >= Date.parse(uploadedAfter)) &&
  (uploadedBefore === undefined || createdAt < Date.parse(uploadedBefore))

/** Returns whether passages are below the heading of the filter; all are if it has none. */
export const underHeading = ({ heading }: DocumentFilter): ((passage: Pick<Passage, "headings">) => boolean) => {
  if (heading === undefined) return () => true
  const wanted = heading.trim().toLowerCase()
  return ({ headings = [] }) => headings.some(({ title }) => title.toLowerCase().includes(wanted))
}

/** A question with more content words than this is understood without the one before it. */
const SHORT_WORDS = 6
/** The same for languages without spaces, in UTF-16 units. */
const SHORT_LENGTH = 16
/** The used part of an earlier question, in UTF-16 units. */
const EARLIER_LENGTH = 500
/** The most earlier questions that a question is searched with. */
const MOST_EARLIER = 3

const isShort = (question: string): boolean =>
  question.trim().length <= SHORT_LENGTH || new Set(tellingWords(question)).size <= SHORT_WORDS

/**
 * Returns the texts to search for the newest question of a conversation, oldest message first: the question, and if it
 * is short ("And in 2023?") also the questions that it may continue together with it, newest first. These go back until
 * one is understood alone.
 */
export const searchedQuestions = (messages: ReadonlyArray<ChatMessage>): ReadonlyArray<string> => {
  const questions = messages.filter(({ role }) => role === "user").map(({ content }) => content)
  const newest = questions.at(-1) ?? ""
  const together: Array<string> = []
  for (let place = questions.length - 1; place >= 0 && together.length <= MOST_EARLIER; place--) {
    const question = questions[place] ?? ""
    together.push(together.length === 0 ? question : question.slice(0, EARLIER_LENGTH).toWellFormed())
    if (!isShort(question)) break
  }
  return together.length < 2 ? [newest] : [newest, together.join("\n")]
}

/** A passage that a model is offered, before it has a number. */
export type OfferedPassage = Omit<Source, "number">

/** The passages that a model is offered, best first. */
export interface OfferedPassages {
  readonly offered: ReadonlyArray<OfferedPassage>
  /** The same passages in the order of their documents, if these are offered whole. */
  readonly whole: ReadonlyArray<OfferedPassage> | undefined
  /** The documents in which a text was found, of which one stands for all. */
  readonly documentsOf: ReadonlyMap<string, ReadonlyArray<string>>
  /** Of documents whose whole is asked for and that are too long for it. */
  readonly outlines: ReadonlyArray<DocumentOutline>
  /**
   * The same passages with those found for one more text, which are as good as those of the question. Only for a question
   * that continues another one, over documents that are not offered whole.
   */
  readonly besides?: ((text: string) => Effect.Effect<OfferedPassages, StorageFailed>) | undefined
}

/** A question and the place of its search. */
export interface Question {
  /** The owner of the documents. */
  readonly userId: UserId
  /** The named documents that are ready. */
  readonly documents: ReadonlyArray<Document>
  /** Only passages that it admits are offered. */
  readonly filter: DocumentFilter
  /** The conversation, oldest first; the question is the last message. */
  readonly conversation: ReadonlyArray<ChatMessage | StoredMessage>
  /** The most tokens of the passages that a search offers. */
  readonly passageTokens: number
  /** The most tokens of documents that are offered whole, and of the passages that represent long documents. */
  readonly wholeTokens: number
}

/** Documents of more passages are longer than any budget for whole documents. */
const MOST_WHOLE_PASSAGES = 64
/** The most passages that represent documents whose whole is asked for. */
const SPREAD_PASSAGES = 24
/** Passages that a search returns fill its tokens also if they are as short as this, up to `MOST_FOUND` passages. */
const SHORT_PASSAGE = 100
const MOST_FOUND = 200
/** Of so many found passages those below a heading are chosen. */
const FOUND_FOR_HEADING = 500
/** The most passages that are read to represent documents: their headings are the outlines. */
const MOST_READ = 500
/** The largest part of the tokens for whole documents that outlines take. */
const OUTLINE_SHARE = 1 / 8
/** The most passages that a follow-up takes over from the last reply. */
const MOST_CARRIED = 3

/**
 * Returns a function that finds the passages that a model is offered for a question, best first and equal texts once:
 *
 * 1. passages found by a search for the question, and those found for a follow-up together with the questions before it,
 *    in turns, after the passages that the last reply cites: those that are near the best, within `passageTokens`;
 * 2. all other passages of the documents, if all documents together fit into `wholeTokens`;
 * 3. otherwise, for a question about whole documents or about a section in which nothing was found, passages spread over
 *    them, with their outlines.
 */
export const makeFindSources = Effect.gen(function* () {
  const index = yield* PassageIndex
  const search = yield* makeSearch
  const tokenizer = yield* Tokenizer
  const tokensOf = (text: string): number => tokenizer.count(text).estimate

  /** All passages of the documents, if together they fit. */
  const readWhole = Effect.fnUntraced(function* ({ documents, filter, userId, wholeTokens }: Question) {
    const counts = documents.map(({ passages = Infinity }) => passages)
    if (wholeTokens === 0 || sumOf(counts) > MOST_WHOLE_PASSAGES) return undefined
    const documentIds = documents.map(({ id }) => id)
    const passages = yield* index.spread({ userId, documentIds, each: Math.max(...counts) })
    const admitted = passages.filter(underHeading(filter))
    return sumOf(admitted.map(({ text }) => tokensOf(text))) <= wholeTokens ? admitted : undefined
  })

  /** Passages spread over the documents from their beginnings on, and the outlines of these. */
  const readSpread = Effect.fnUntraced(function* ({ documents, filter, userId, wholeTokens }: Question) {
    const isOfAll = filter.heading === undefined
    const chosen = documents.slice(0, isOfAll ? SPREAD_PASSAGES : MOST_READ)
    const each = Math.max(1, Math.floor(MOST_READ / chosen.length))
    const read = yield* index.spread({ userId, documentIds: chosen.map(({ id }) => id), each })
    const admitted = read.filter(underHeading(filter))
    const outlines = outlinesOf(admitted, Math.floor(wholeTokens * OUTLINE_SHARE), tokensOf)
    const left = wholeTokens - tokensOf(outlines.map(outlineText).join("\n"))
    const most = isOfAll ? Math.max(1, Math.floor(SPREAD_PASSAGES / chosen.length)) : MOST_READ
    const spread = [...Map.groupBy(admitted, ({ documentId }) => documentId).values()].flatMap((ofDocument) =>
      evenly(ofDocument, Math.min(most, ofDocument.length))
    )
    return { outlines, passages: thinned(spread, ({ text }) => tokensOf(text), left) }
  })

  return Effect.fnUntraced(function* (question: Question): Effect.fn.Return<OfferedPassages, StorageFailed> {
    const { conversation, documents, filter, passageTokens, userId, wholeTokens } = question
    if (documents.length === 0) return { offered: [], whole: undefined, documentsOf: new Map(), outlines: [] }
    const documentIds = documents.map(({ id }) => id)
    const limit = Math.min(MOST_FOUND, Math.ceil(passageTokens / SHORT_PASSAGE))
    const texts = searchedQuestions(conversation)
    const searchFor = (query: string) => search({ userId, documentIds, query, limit }, filter)
    const found = yield* Effect.forEach(texts, searchFor, { concurrency: "unbounded" })
    const cited = texts.length > 1 ? citedLast(conversation, new Set(documentIds)) : []
    const carried = cited.filter(underHeading(filter)).slice(0, MOST_CARRIED)
    const all = yield* readWhole(question)
    const offer = Effect.fnUntraced(function* (found: ReadonlyArray<ReadonlyArray<FoundPassage>>) {
      const best = firstWithin(differing([...carried, ...inTurns(found)]), passageTokens, ({ text }) => tokensOf(text))
      const isOfSection = filter.heading !== undefined && best.length === 0
      const isOfWhole = wholeTokens > 0 && (isOfSection || asksForWhole(texts[0] ?? ""))
      const { outlines, passages } =
        all === undefined && isOfWhole ? yield* readSpread(question) : { outlines: [], passages: all ?? [] }
      const whole = all && differing(all)
      const offered = whole === undefined ? differing([...best, ...passages]) : inOrderOf(best, whole)
      return { offered, whole, documentsOf: documentsByText([...found.flat(), ...passages]), outlines }
    })
    const offered = yield* offer(found)
    if (texts.length === 1 || all !== undefined) return offered
    return { ...offered, besides: (text) => Effect.flatMap(searchFor(text), (more) => offer([more, ...found])) }
  })
})

/** The relevant passages of a search: those that are near the best of them, or all in the order of the reranker if there is one. */
const makeSearch = Effect.gen(function* () {
  const passages = yield* PassageIndex
  const reranker = yield* Reranker
  return Effect.fnUntraced(function* (input: SearchInput, filter: DocumentFilter) {
    const most = reranker === undefined ? input.limit : RERANKED
    const limit = filter.heading === undefined ? most : FOUND_FOR_HEADING
    const found = yield* passages.search({ ...input, limit })
    const admitted = found.filter(underHeading(filter)).slice(0, most)
    const nearFrom = passages.embedder?.relevantFrom
    const relevant = relevantPassages(input.query, admitted, nearFrom)
    return reranker === undefined ? nearBest(relevant, nearFrom) : yield* rerankFound(reranker, input.query, relevant)
  }, Effect.withSpan("documents.search"))
})

/** The passages that the last reply cites, of documents that are still named. */
const citedLast = (
  conversation: Question["conversation"],
  documentIds: ReadonlySet<string>
): ReadonlyArray<OfferedPassage> => {
  const last = conversation.findLast(({ role }) => role === "assistant")
  if (last === undefined || !("sources" in last)) return []
  const cited = citedNumbers(last.content)
  return last.sources.filter(({ documentId, number }) => cited.has(number) && documentIds.has(documentId))
}

/** The first of each list, then the second of each, and so on. */
const inTurns = <A>(lists: ReadonlyArray<ReadonlyArray<A>>): ReadonlyArray<A> => {
  const longest = Math.max(...lists.map(({ length }) => length))
  return Array.from({ length: longest }, (_, place) => lists.flatMap((list) => list.slice(place, place + 1))).flat()
}

/** The first items that take at most `budget` together, and the first one in any case. */
const firstWithin = <A>(items: ReadonlyArray<A>, budget: number, costOf: (item: A) => number): ReadonlyArray<A> => {
  let used = 0
  const end = items.findIndex((item, place) => (used += costOf(item)) > budget && place > 0)
  return end < 0 ? items : items.slice(0, end)
}

const sumOf = (numbers: ReadonlyArray<number>): number => numbers.reduce((sum, each) => sum + each, 0)

/** So many items at even distances, the first one among them. */
const evenly = <A>(items: ReadonlyArray<A>, count: number): ReadonlyArray<A> =>
  Array.from({ length: count }, (_, slot) => items[Math.floor((slot * items.length) / count)]!)

/** As many items at even distances as fit into a budget, and the first one in any case. */
const thinned = <A>(items: ReadonlyArray<A>, costOf: (item: A) => number, budget: number): ReadonlyArray<A> => {
  const costs = new Map(items.map((item) => [item, costOf(item)]))
  for (let count = items.length; count > 1; count--) {
    const kept = evenly(items, count)
    if (sumOf(kept.map((item) => costs.get(item) ?? 0)) <= budget) return kept
  }
  return items.slice(0, 1)
}

/** The documents that have a text, by the text. */
const documentsByText = (passages: ReadonlyArray<OfferedPassage>): OfferedPassages["documentsOf"] =>
  new Map(
    [...Map.groupBy(passages, ({ text }) => text)].map(([text, alike]) => [
      text,
      alike.map(({ documentId }) => documentId)
    ])
  )

/** All passages of whole documents, the best first. */
const inOrderOf = (
  best: ReadonlyArray<OfferedPassage>,
  whole: ReadonlyArray<OfferedPassage>
): ReadonlyArray<OfferedPassage> => {
  const byText = new Map(whole.map((passage) => [passage.text, passage]))
  return differing([...best.flatMap(({ text }) => byText.get(text) ?? []), ...whole])
}

/** Equal texts once, each in its first place. */
const differing = (passages: ReadonlyArray<OfferedPassage>): ReadonlyArray<OfferedPassage> => {
  const texts = new Set<string>()
  return passages.filter(({ text }) => !texts.has(text) && texts.add(text))
}
