import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query"
import { tellOtherPages } from "./otherPages.ts"
import { hasStatus } from "./parley.ts"
import { meQuery } from "./session.ts"

const STALE_MS = 10_000

/**
 * Caches the server's responses, without retries, because Parley's client already retries. If a response reports that
 * the session has ended, the page shows the sign-in.
 */
export const makeQueryClient = (): QueryClient => {
  const endSession = (error: unknown) => {
    if (hasStatus(error, 401)) client.setQueryData(meQuery.queryKey, null)
  }
  const client = new QueryClient({
    queryCache: new QueryCache({ onError: endSession }),
    mutationCache: new MutationCache({ onError: endSession, onSuccess: tellOtherPages }),
    defaultOptions: {
      queries: { staleTime: STALE_MS, retry: false },
      mutations: { retry: false }
    }
  })
  return client
}
