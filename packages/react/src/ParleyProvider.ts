import { createParleyClient, type ParleyClient, type ParleyClientOptions } from "@parley/client"
import { QueryClient } from "@tanstack/react-query"
import { createContext, createElement, type ReactElement, type ReactNode, useContext, useMemo } from "react"

/** The parts that the hooks of a page share. */
export interface ParleyContext {
  readonly client: ParleyClient
  /** The cache of the data that hooks have read, so that several hooks of a page make only one request. */
  readonly queryClient: QueryClient
}

const Shared = createContext<ParleyContext | undefined>(undefined)

export type ParleyProviderProps = {
  readonly children?: ReactNode
  /** The cache of a page that uses TanStack Query itself; without it the hooks use a separate cache. */
  readonly queryClient?: QueryClient | undefined
} & ({ readonly client: ParleyClient } | { readonly baseUrl: ParleyClientOptions["baseUrl"] })

/** Provides a client to the hooks below this component: the given one, or one for the server at `baseUrl`. */
export const ParleyProvider = (props: ParleyProviderProps): ReactElement => {
  const given = "client" in props ? props.client : undefined
  const baseUrl = "baseUrl" in props ? props.baseUrl : ""
  const cache = props.queryClient
  const value = useMemo(() => {
    const client = given ?? createParleyClient({ baseUrl })
    return { client, queryClient: cache ?? ownCache() }
  }, [given, baseUrl, cache])
  return createElement(Shared.Provider, { value }, props.children)
}

/** TanStack Query does not retry, because the client already does. */
const ownCache = () => new QueryClient({ defaultOptions: { queries: { retry: false } } })

export const useShared = (): ParleyContext => {
  const shared = useContext(Shared)
  if (shared === undefined) throw new Error("Hooks of @parley/react need a ParleyProvider above them.")
  return shared
}

/** Returns the client of the page, for calls without a hook. */
export const useParley = (): ParleyClient => useShared().client
