import { createParleyClient, type ParleyClient, type ParleyClientOptions } from "@parley/client"
import { createContext, createElement, type ReactElement, type ReactNode, useContext, useMemo, useState } from "react"
import { Spending } from "./Spending.ts"

/** The parts that the hooks of a page share. */
export interface ParleyContext {
  readonly client: ParleyClient
  /** Announces that credits were spent, so that balances are read again. */
  readonly spending: Spending
}

const Shared = createContext<ParleyContext | undefined>(undefined)

export type ParleyProviderProps = { readonly children?: ReactNode } & (
  | { readonly client: ParleyClient }
  | { readonly baseUrl: ParleyClientOptions["baseUrl"] }
)

/** Gives the hooks below it a client: a given one, or one for the server at `baseUrl`. */
export const ParleyProvider = (props: ParleyProviderProps): ReactElement => {
  const [spending] = useState(() => new Spending())
  const given = "client" in props ? props.client : undefined
  const baseUrl = "baseUrl" in props ? props.baseUrl : ""
  const client = useMemo(() => given ?? createParleyClient({ baseUrl }), [given, baseUrl])
  const value = useMemo(() => ({ client, spending }), [client, spending])
  return createElement(Shared.Provider, { value }, props.children)
}

export const useShared = (): ParleyContext => {
  const shared = useContext(Shared)
  if (shared === undefined) throw new Error("Hooks of @parley/react need a ParleyProvider above them.")
  return shared
}

/** The client of the page, for calls that no hook has. */
export const useParley = (): ParleyClient => useShared().client
