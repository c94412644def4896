import { codeOf } from "./Problem.ts"
import { type ProblemKind, problemTable } from "./problemTable.ts"
import { rateLimitHeaders } from "./rateLimitHeaders.ts"
import { retryAfterHeaders } from "./retryAfter.ts"

/** The headers of an error's answer: how long to wait and which limit is used up, where they are known, and the connection's end where it has to end. */
export const problemHeaders = (error: unknown): Readonly<Record<string, string>> => {
  const { closes }: ProblemKind = problemTable[codeOf(error)]
  return {
    ...retryAfterHeaders(error),
    ...rateLimitHeaders(error),
    ...(closes === true ? { connection: "close" } : {})
  }
}
