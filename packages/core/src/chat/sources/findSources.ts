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

/** Checks the day as well, because `Date.parse` moves a day that the month does not have into the next month. */
const isMoment = (text: string): boolean => {
  const [, year, month, day] = MOMENT.exec(text)?.map(Number) ?? []
  if (year === undefined || month === undefined || Number.isNaN(Date.parse(text))) return false
  return new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day
}

/** A time in ISO 8601 with its zone, for example `2026-01-31T09:00:00Z`; a date alone means its first moment in UTC. */
const momentOf = (description: string) =>
  Schema.String.annotate({ description }).check(
    Schema.makeFilter((text: string) => isMoment(text) || "Expected a time like 2026-01-31T09:00:00Z")
  )

/** The maximum length of the heading in a filter; stored headings are shorter. */
const MAX_HEADING = 200

/**
 * Restricts the documents that a request names, and the passages of them that are read. All given conditions must be
 * fulfilled.
 */
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

/** Returns true if a document fulfils the filter's conditions on documents. */
export const admitsDocument = (
  { types, uploadedAfter, uploadedBefore }: DocumentFilter,
  { createdAt, type }: Document
): boolean =>
  (types === undefined || types.includes(type)) &&
  (uploadedAfter === undefined || createdAt >= Date.parse(uploadedAfter)) &&
  (uploadedBefore === undefined || createdAt < Date.parse(uploadedBefore))

/**
 * Returns a function that is true for passages below the heading of the filter, and for all passages if the filter has
 * no heading.
 */
export const underHeading = ({ heading }: DocumentFilter): ((passage: Pick<Passage, "headings">) => boolean) => {
  if (heading === undefined) return () => true
  const wanted = heading.trim().toLowerCase()
  return ({ headings = [] }) => headings.some(({ title }) => title.toLowerCase().includes(wanted))
}

/** A question with more content words than this is understandable without the previous question. */
const SHORT_WORDS = 6
/** The same limit in UTF-16 units, for languages without spaces. */
const SHORT_LENGTH = 16
/** The maximum number of UTF-16 units that are used of an earlier question. */
const EARLIER_LENGTH = 500
/** The maximum number of earlier questions that are searched together with a question. */
const MOST_EARLIER = 3

const isShort = (question: string): boolean =>
  question.trim().length <= SHORT_LENGTH || new Set(tellingWords(question)).size <= SHORT_WORDS

/**
 * Returns the texts to search for the newest question of a conversation; `messages` are oldest first. The first text is
 * the question. If the question is short ("And in 2023?"), a second text joins it with the earlier questions that it
 * may continue, newest first, back to a question that is understandable alone.
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

/** A passage for the prompt, before it has a number. */
export type OfferedPassage = Omit<Source, "number">

/** The passages for the prompt, best first. */
export interface OfferedPassages {
  readonly offered: ReadonlyArray<OfferedPassage>
  /** The same passages in the order of their documents, if whole documents are used; otherwise undefined. */
  readonly whole: ReadonlyArray<OfferedPassage> | undefined
  /** For each text: the ids of all documents that contain it; only one passage with that text is in the prompt. */
  readonly documentsOf: ReadonlyMap<string, ReadonlyArray<string>>
  /** The outlines of documents that the question asks for as a whole, but that are too long. */
  readonly outlines: ReadonlyArray<DocumentOutline>
  /**
   * Returns the same passages together with those found for another text, which has the same weight as the question.
   * Given only for a question that continues an earlier one, over documents that are not used whole.
   */
  readonly besides?: ((text: string) => Effect.Effect<OfferedPassages, StorageFailed>) | undefined
}

/** A question, and the documents to search for it. */
export interface Question {
  /** The owner of the documents. */
  readonly userId: UserId
  /** The documents that the request names and that are ready. */
  readonly documents: ReadonlyArray<Document>
  /** Only passages that pass this filter are used. */
  readonly filter: DocumentFilter
  /** The conversation, oldest first; the question is the last message. */
  readonly conversation: ReadonlyArray<ChatMessage | StoredMessage>
  /** The maximum number of tokens of the passages from searches. */
  readonly passageTokens: number
  /** The maximum number of tokens of whole documents, or of the passages that represent long documents. */
  readonly wholeTokens: number
}

/** Documents with more passages than this are longer than any limit for whole documents. */
const MOST_WHOLE_PASSAGES = 64
/** The maximum number of passages that represent whole documents. */
const SPREAD_PASSAGES = 24
/**
 * The assumed length of a short passage in tokens: a search asks for as many passages of this length as fill its
 * tokens, at most `MOST_FOUND`.
 */
const SHORT_PASSAGE = 100
const MOST_FOUND = 200
/**
 * The number of passages that a search returns if the filter has a heading, because most of them may not be below it.
 */
const FOUND_FOR_HEADING = 500
/** The maximum number of passages that are read to represent documents; outlines are made from their headings. */
const MOST_READ = 500
/** The largest part of the tokens for whole documents that outlines may take. */
const OUTLINE_SHARE = 1 / 8
/** The maximum number of passages of the last reply that are used again for a follow-up question. */
const MOST_CARRIED = 3

/**
 * Returns a function that finds the passages for a question, best first, each text once:
 *
 * 1. passages from a search for the question and, for a follow-up, from a search for it together with the earlier
 *    questions, in turns, after the passages that the last reply cites: those near the best, within `passageTokens`;
 * 2. all other passages of the documents, if all documents together fit into `wholeTokens`;
 * 3. otherwise, for a question about whole documents, or about a section in which nothing was found, passages at even
 *    distances in the documents, with their outlines.
 */
export const makeFindSources = Effect.gen(function* () {
  const index = yield* PassageIndex
  const search = yield* makeSearch
  const tokenizer = yield* Tokenizer
  const tokensOf = (text: string): number => tokenizer.count(text).estimate

  /** Returns all passages of the documents if together they fit into `wholeTokens`; otherwise undefined. */
  const readWhole = Effect.fnUntraced(function* ({ documents, filter, userId, wholeTokens }: Question) {
    const counts = documents.map(({ passages = Infinity }) => passages)
    if (wholeTokens === 0 || sumOf(counts) > MOST_WHOLE_PASSAGES) return undefined
    const documentIds = documents.map(({ id }) => id)
    const passages = yield* index.spread({ userId, documentIds, each: Math.max(...counts) })
    const admitted = passages.filter(underHeading(filter))
    return sumOf(admitted.map(({ text }) => tokensOf(text))) <= wholeTokens ? admitted : undefined
  })

  /**
   * Returns passages at even distances in the documents, the first one of each among them, and the outlines of the
   * documents.
   */
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

/**
 * Makes a search that returns the relevant passages: those near the best one or, if there is a reranker, all in its
 * order.
 */
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

/** The passages that the last reply cites, if their documents are still named. */
const citedLast = (
  conversation: Question["conversation"],
  documentIds: ReadonlySet<string>
): ReadonlyArray<OfferedPassage> => {
  const last = conversation.findLast(({ role }) => role === "assistant")
  if (last === undefined || !("sources" in last)) return []
  const cited = citedNumbers(last.content)
  return last.sources.filter(({ documentId, number }) => cited.has(number) && documentIds.has(documentId))
}

/** Merges lists: the first item of each, then the second of each, and so on. */
const inTurns = <A>(lists: ReadonlyArray<ReadonlyArray<A>>): ReadonlyArray<A> => {
  const longest = Math.max(...lists.map(({ length }) => length))
  return Array.from({ length: longest }, (_, place) => lists.flatMap((list) => list.slice(place, place + 1))).flat()
}

/** The first items whose cost together is at most `budget`; at least one item. */
const firstWithin = <A>(items: ReadonlyArray<A>, budget: number, costOf: (item: A) => number): ReadonlyArray<A> => {
  let used = 0
  const end = items.findIndex((item, place) => (used += costOf(item)) > budget && place > 0)
  return end < 0 ? items : items.slice(0, end)
}

const sumOf = (numbers: ReadonlyArray<number>): number => numbers.reduce((sum, each) => sum + each, 0)

/** Chooses `count` items at even distances, the first item among them. */
const evenly = <A>(items: ReadonlyArray<A>, count: number): ReadonlyArray<A> =>
  Array.from({ length: count }, (_, slot) => items[Math.floor((slot * items.length) / count)]!)

/** Chooses as many items at even distances as fit into a budget; at least the first one. */
const thinned = <A>(items: ReadonlyArray<A>, costOf: (item: A) => number, budget: number): ReadonlyArray<A> => {
  const costs = new Map(items.map((item) => [item, costOf(item)]))
  for (let count = items.length; count > 1; count--) {
    const kept = evenly(items, count)
    if (sumOf(kept.map((item) => costs.get(item) ?? 0)) <= budget) return kept
  }
  return items.slice(0, 1)
}

/** For each text, the ids of the documents that contain it. */
const documentsByText = (passages: ReadonlyArray<OfferedPassage>): OfferedPassages["documentsOf"] =>
  new Map(
    [...Map.groupBy(passages, ({ text }) => text)].map(([text, alike]) => [
      text,
      alike.map(({ documentId }) => documentId)
    ])
  )

/** All passages of the whole documents; the best ones first. */
const inOrderOf = (
  best: ReadonlyArray<OfferedPassage>,
  whole: ReadonlyArray<OfferedPassage>
): ReadonlyArray<OfferedPassage> => {
  const byText = new Map(whole.map((passage) => [passage.text, passage]))
  return differing([...best.flatMap(({ text }) => byText.get(text) ?? []), ...whole])
}

/** Removes passages whose text occurs earlier in the list. */
const differing = (passages: ReadonlyArray<OfferedPassage>): ReadonlyArray<OfferedPassage> => {
  const texts = new Set<string>()
  return passages.filter(({ text }) => !texts.has(text) && texts.add(text))
}
