import { codeOf } from "./Problem.ts"
import { type ProblemKind, problemTable } from "./problemTable.ts"
import { rateLimitHeaders } from "./rateLimitHeaders.ts"
import { retryAfterHeaders } from "./retryAfter.ts"

/**
 * The headers of an error's response: the wait and the exhausted limit, if they are known, and the end of the
 * connection if it must end.
 */
export const problemHeaders = (error: unknown): Readonly<Record<string, string>> => {
  const { closes }: ProblemKind = problemTable[codeOf(error)]
  return {
    ...retryAfterHeaders(error),
    ...rateLimitHeaders(error),
    ...(closes === true ? { connection: "close" } : {})
  }
}
