import { Effect } from "effect"
import type { Document } from "../../documents/Document.ts"
import { PassageIndex, type SearchInput } from "../../documents/indexing/PassageIndex.ts"
import { asksForWhole, relevantPassages } from "../../documents/searching/relevantPassages.ts"
import { RERANKED_SHARE, rerankFound, Reranker } from "../../documents/searching/Reranker.ts"
import type { UserId } from "../../identity/UserId.ts"
import type { ChatMessage } from "../../models/ChatMessage.ts"
import { Tokenizer } from "../../tokens/Tokenizer.ts"
import type { Source, StoredMessage } from "../store/StoredChat.ts"
import { citedNumbers } from "./citedNumbers.ts"
import { type DocumentFilter, isUnderHeading } from "./documentFilter.ts"
import { searchedQuestions } from "./searchedQuestions.ts"

/** A passage that a model is offered, before it has a number. */
export type OfferedPassage = Omit<Source, "number">

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
 * 3. otherwise, for a question about whole documents, passages spread over them.
 */
export const makeFindSources = Effect.gen(function* () {
  const index = yield* PassageIndex
  const search = yield* makeSearch
  const tokenizer = yield* Tokenizer

  /** The passages spread over the documents, as far as they fit; undefined if not all do and `isWhole` is wanted. */
  const spread = Effect.fnUntraced(function* (question: Question, isWhole: boolean) {
    const { documents, filter, userId, wholeTokens } = question
    const counts = documents.map(({ passages = Infinity }) => passages)
    if (isWhole && (wholeTokens === 0 || sumOf(counts) > MOST_WHOLE_PASSAGES)) return undefined
    const most = filter.heading === undefined ? SPREAD_PASSAGES : FOUND_FOR_HEADING
    const each = isWhole ? Math.max(...counts) : Math.max(1, Math.floor(most / documents.length))
    const documentIds = documents.slice(0, isWhole ? undefined : most).map(({ id }) => id)
    const taken: Array<OfferedPassage> = []
    let tokens = 0
    for (const passage of yield* index.spread({ userId, documentIds, each })) {
      if (!isUnderHeading(filter, passage)) continue
      tokens += tokenizer.count(passage.text).estimate
      if (tokens > wholeTokens) return isWhole ? undefined : taken
      taken.push(passage)
    }
    return taken
  })

  return Effect.fnUntraced(function* (question: Question) {
    const { conversation, documents, filter, passages: limit, userId } = question
    if (documents.length === 0) return []
    const documentIds = documents.map(({ id }) => id)
    const texts = searchedQuestions(conversation)
    const found = yield* Effect.forEach(texts, (query) => search({ userId, documentIds, query, limit }, filter), {
      concurrency: "unbounded"
    })
    const cited = texts.length > 1 ? citedLast(conversation, new Set(documentIds)) : []
    const carried = cited.filter((passage) => isUnderHeading(filter, passage)).slice(0, MOST_CARRIED)
    const best = differing([...carried, ...inTurns(found)]).slice(0, limit)
    const whole = yield* spread(question, true)
    if (whole !== undefined) return differing([...best, ...whole])
    if (!asksForWhole(texts[0] ?? "", texts.length > 1)) return best
    return differing([...best, ...((yield* spread(question, false)) ?? [])])
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
    const admitted = found.filter((passage) => isUnderHeading(filter, passage)).slice(0, most)
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

/** Equal texts once, each in its first place. */
const differing = (passages: ReadonlyArray<OfferedPassage>): ReadonlyArray<OfferedPassage> => {
  const texts = new Set<string>()
  return passages.filter(({ text }) => !texts.has(text) && texts.add(text))
}
