import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query"
import { ApiProblem } from "./ApiProblem.ts"
import { meQuery } from "./session.ts"

const STALE_MS = 10_000
const TRIES = 2

/** Failures that a second request may not meet. */
const mayPass = (error: unknown) => error instanceof ApiProblem && (error.status === 0 || error.status >= 500)

/** Caches the server's responses. A response that reports an ended session ends it on the page too. */
export const makeQueryClient = (): QueryClient => {
  const endSession = (error: unknown) => {
    if (error instanceof ApiProblem && error.status === 401) client.setQueryData(meQuery.queryKey, null)
  }
  const client = new QueryClient({
    queryCache: new QueryCache({ onError: endSession }),
    mutationCache: new MutationCache({ onError: endSession }),
    defaultOptions: {
      queries: { staleTime: STALE_MS, retry: (failures, error) => failures < TRIES && mayPass(error) },
      mutations: { retry: false }
    }
  })
  return client
}
