import type { UnansweredQuestion } from "../../chat/store/BotReports.ts"

/** Questions with similar words, which probably ask for the same thing. */
export interface QuestionGroup {
  /** The newest question of the group. */
  readonly question: string
  readonly count: number
  /** The conversations of the newest questions, at most five. */
  readonly conversationIds: ReadonlyArray<string>
  /** Unix milliseconds: the time of the newest question. */
  readonly at: number
}

/** Shorter words are ignored, because they say little about a question. */
const LEAST_LETTERS = 4
/** Two questions belong to one group if at least this share of all their words is in both. */
const ALIKE = 0.5
const MOST_CONVERSATIONS = 5

const wordsOf = (question: string): ReadonlySet<string> => {
  const all = question.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  const long = all.filter((word) => word.length >= LEAST_LETTERS)
  return new Set(long.length > 0 ? long : all)
}

const likeness = (one: ReadonlySet<string>, other: ReadonlySet<string>): number => {
  const common = one.intersection(other).size
  return common === 0 ? 0 : common / one.union(other).size
}

/**
 * Groups questions, newest first, by the Jaccard index of their words: each question joins the most similar group, if
 * it is similar enough to that group's newest question. The most frequent groups come first.
 */
export const groupQuestions = (questions: ReadonlyArray<UnansweredQuestion>): ReadonlyArray<QuestionGroup> => {
  const groups: Array<{ readonly words: ReadonlySet<string>; readonly members: Array<UnansweredQuestion> }> = []
  for (const question of questions) {
    const words = wordsOf(question.question)
    let best: (typeof groups)[number] | undefined
    let most = ALIKE
    for (const group of groups) {
      const alike = likeness(words, group.words)
      if (alike < most || (best !== undefined && alike === most)) continue
      best = group
      most = alike
    }
    if (best === undefined) groups.push({ words, members: [question] })
    else best.members.push(question)
  }
  return groups
    .map(({ members }) => ({
      question: members[0]?.question ?? "",
      count: members.length,
      conversationIds: [...new Set(members.map(({ conversationId }) => conversationId))].slice(0, MOST_CONVERSATIONS),
      at: members[0]?.at ?? 0
    }))
    .toSorted((one, other) => other.count - one.count || other.at - one.at)
}
