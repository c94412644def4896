import { Effect } from "effect"
import type { Document } from "../../documents/Document.ts"
import { PassageIndex, type SearchInput } from "../../documents/indexing/PassageIndex.ts"
import { asksForWhole, relevantPassages } from "../../documents/searching/relevantPassages.ts"
import { RERANKED_SHARE, rerankFound, Reranker } from "../../documents/searching/Reranker.ts"
import type { UserId } from "../../identity/UserId.ts"
import type { ChatMessage } from "../../models/ChatMessage.ts"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import { Tokenizer } from "../../tokens/Tokenizer.ts"
import type { Source, StoredMessage } from "../store/StoredChat.ts"
import { citedNumbers } from "./citedNumbers.ts"
import { type DocumentFilter, underHeading } from "./documentFilter.ts"
import { searchedQuestions } from "./searchedQuestions.ts"

/** A passage that a model is offered, before it has a number. */
export type OfferedPassage = Omit<Source, "number">

/** The passages that a model is offered, best first. */
export interface OfferedPassages {
  readonly offered: ReadonlyArray<OfferedPassage>
  /** The documents in which a text was found, of which one stands for all. */
  readonly documentsOf: ReadonlyMap<string, ReadonlyArray<string>>
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
  /** The most passages that a search offers. */
  readonly passages: number
  /** The most tokens of documents that are offered whole, and of the passages that represent long documents. */
  readonly wholeTokens: number
}

/** Documents of more passages are longer than any budget for whole documents. */
const MOST_WHOLE_PASSAGES = 64
/** The most passages that represent documents whose whole is asked for. */
const SPREAD_PASSAGES = 24
/** Of so many found passages those below a heading are chosen. */
const FOUND_FOR_HEADING = 500
/** The most passages that a follow-up takes over from the last reply. */
const MOST_CARRIED = 3

/**
 * Returns a function that finds the passages that a model is offered for a question, best first and equal texts once:
 *
 * 1. passages found by a search for the question, and those found for a follow-up together with the questions before it,
 *    in turns, after the passages that the last reply cites;
 * 2. all other passages of the documents, if all documents together fit into `wholeTokens`;
 * 3. otherwise, for a question about whole documents or about a section in which nothing was found, passages spread over
 *    them.
 */
export const makeFindSources = Effect.gen(function* () {
  const index = yield* PassageIndex
  const search = yield* makeSearch
  const tokenizer = yield* Tokenizer

  /** The passages spread over the documents, as many as fit; undefined if not all do and `isWhole` is wanted. */
  const spread = Effect.fnUntraced(function* (question: Question, isWhole: boolean) {
    const { documents, filter, userId, wholeTokens } = question
    const counts = documents.map(({ passages = Infinity }) => passages)
    if (isWhole && (wholeTokens === 0 || sumOf(counts) > MOST_WHOLE_PASSAGES)) return undefined
    const most = filter.heading === undefined ? SPREAD_PASSAGES : FOUND_FOR_HEADING
    const each = isWhole ? Math.max(...counts) : Math.max(1, Math.floor(most / documents.length))
    const documentIds = documents.slice(0, isWhole ? undefined : most).map(({ id }) => id)
    const passages = (yield* index.spread({ userId, documentIds, each })).filter(underHeading(filter))
    const tokens = passages.map(({ text }) => tokenizer.count(text).estimate)
    if (sumOf(tokens) <= wholeTokens) return passages
    return isWhole ? undefined : thinned(passages, tokens, wholeTokens)
  })

  return Effect.fnUntraced(function* (question: Question): Effect.fn.Return<OfferedPassages, StorageFailed> {
    const { conversation, documents, filter, passages: limit, userId } = question
    if (documents.length === 0) return { offered: [], documentsOf: new Map() }
    const documentIds = documents.map(({ id }) => id)
    const texts = searchedQuestions(conversation)
    const found = yield* Effect.forEach(texts, (query) => search({ userId, documentIds, query, limit }, filter), {
      concurrency: "unbounded"
    })
    const cited = texts.length > 1 ? citedLast(conversation, new Set(documentIds)) : []
    const carried = cited.filter(underHeading(filter)).slice(0, MOST_CARRIED)
    const best = differing([...carried, ...inTurns(found)]).slice(0, limit)
    const isOfSection = filter.heading !== undefined && best.length === 0
    const whole = yield* spread(question, true)
    const more =
      whole ?? (isOfSection || asksForWhole(texts[0] ?? "") ? yield* spread(question, false) : undefined) ?? []
    return { offered: differing([...best, ...more]), documentsOf: documentsByText([...found.flat(), ...more]) }
  })
})

/** The relevant passages of a search, by the reranker's judgement if there is one. */
const makeSearch = Effect.gen(function* () {
  const passages = yield* PassageIndex
  const reranker = yield* Reranker
  return Effect.fnUntraced(function* (input: SearchInput, filter: DocumentFilter) {
    const most = input.limit * (reranker === undefined ? 1 : RERANKED_SHARE)
    const limit = filter.heading === undefined ? most : FOUND_FOR_HEADING
    const found = yield* passages.search({ ...input, limit })
    const admitted = found.filter(underHeading(filter)).slice(0, most)
    const relevant = relevantPassages(input.query, admitted, passages.embedder?.relevantFrom)
    return reranker === undefined
      ? relevant
      : (yield* rerankFound(reranker, input.query, relevant)).slice(0, input.limit)
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

const sumOf = (numbers: ReadonlyArray<number>): number => numbers.reduce((sum, each) => sum + each, 0)

/** As many passages at even distances as fit into a budget of tokens. */
const thinned = <A>(passages: ReadonlyArray<A>, tokens: ReadonlyArray<number>, budget: number): ReadonlyArray<A> => {
  for (let count = passages.length - 1; count > 0; count--) {
    const places = Array.from({ length: count }, (_, slot) => Math.floor((slot * passages.length) / count))
    if (sumOf(places.map((place) => tokens[place] ?? 0)) <= budget) return places.map((place) => passages[place]!)
  }
  return []
}

/** The documents that have a text, by the text. */
const documentsByText = (passages: ReadonlyArray<OfferedPassage>): OfferedPassages["documentsOf"] =>
  new Map(
    [...Map.groupBy(passages, ({ text }) => text)].map(([text, alike]) => [
      text,
      alike.map(({ documentId }) => documentId)
    ])
  )

/** Equal texts once, each in its first place. */
const differing = (passages: ReadonlyArray<OfferedPassage>): ReadonlyArray<OfferedPassage> => {
  const texts = new Set<string>()
  return passages.filter(({ text }) => !texts.has(text) && texts.add(text))
}
