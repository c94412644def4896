import { queryOptions } from "@tanstack/react-query"
import { load, parley } from "./parley.ts"

/** The way in which people sign in: with the development form, or at an identity provider. */
export type SignInWay =
  | { readonly kind: "development" }
  | { readonly kind: "elsewhere"; readonly url: string | null; readonly signOutUrl: string | null }

/** The settings that the server passes to its page. */
export interface ServerSettings {
  readonly signIn: SignInWay
  /** The address of the payment stand-in's pages, which charge no real money; null if there is no stand-in. */
  readonly standInPayments: string | null
  /** The origin of the pages for visitors of bots; null if it is the origin of this page. */
  readonly widgetOrigin: string | null
}

export const serverSettingsQuery = queryOptions({
  queryKey: ["server-settings"],
  queryFn: async ({ signal }) => (await load("/dashboard.json", signal)).json() as Promise<ServerSettings>,
  staleTime: Infinity
})

/** The signed-in person; null without a session. */
export const meQuery = queryOptions({
  queryKey: ["me"],
  queryFn: ({ signal }) => parley.session({ signal }),
  staleTime: 60_000
})

/**
 * Signs the person out on this server. Returns the address to go to if the sign-out continues at the identity provider.
 */
export const signOut = async (way: SignInWay): Promise<string | undefined> => {
  await parley.signOut()
  return way.kind === "elsewhere" ? (way.signOutUrl ?? undefined) : undefined
}
