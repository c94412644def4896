import { queryOptions } from "@tanstack/react-query"
import { json, read, send } from "./request.ts"

/** How people sign in here: with the development form, or at an identity provider. */
export type SignInWay =
  | { readonly kind: "development" }
  | { readonly kind: "elsewhere"; readonly url: string | null; readonly signOutUrl: string | null }

/** What the page knows of the server it belongs to. */
export interface ServerSettings {
  readonly signIn: SignInWay
  /** The pages of a stand-in for the payment provider, with which nothing real is charged; null where there is none. */
  readonly standInPayments: string | null
}

export const serverSettingsQuery = queryOptions({
  queryKey: ["server-settings"],
  queryFn: ({ signal }) => read<ServerSettings>("/dashboard.json", signal),
  staleTime: Infinity
})

/** The name of one of the server's plans. */
export type Tier = string

/** What a plan gives. */
export interface TierBody {
  readonly id: Tier
  readonly name: string
  readonly monthlyCredits: number
  /** Ids, the default first. */
  readonly models: ReadonlyArray<string>
  readonly quotas: {
    readonly maxDocuments: number
    readonly maxDocumentBytes: number
    readonly maxChatBytes: number
    /** Null for no bound. */
    readonly maxConcurrentReplies: number | null
  }
}

/** Who is signed in, and on what plan. */
export interface Me {
  readonly userId: string
  readonly email: string | null
  readonly tier: TierBody
  /** What may be uploaded: extensions without the dot, and the most bytes of a file. */
  readonly uploads: { readonly maxBytes: number; readonly types: ReadonlyArray<string> }
}

/** Who is signed in; null if nobody is. */
export const meQuery = queryOptions({
  queryKey: ["me"],
  queryFn: async ({ signal }) => (await read<{ readonly me: Me | null }>("/api/session", signal)).me,
  staleTime: 60_000
})

export const signInForDevelopment = (email: string) => send("/dev/sign-in", json("POST", { email }))

/** Signs out here; gives where to go on, if that is elsewhere. */
export const signOut = async (way: SignInWay): Promise<string | undefined> => {
  await send("/api/sign-out", json("POST"))
  return way.kind === "elsewhere" ? (way.signOutUrl ?? undefined) : undefined
}
