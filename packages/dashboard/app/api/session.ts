import { queryOptions } from "@tanstack/react-query"
import { json, read, send } from "./request.ts"

/** The sign-in of this server: the development form, or an identity provider. */
export type SignInWay =
  | { readonly kind: "development" }
  | { readonly kind: "elsewhere"; readonly url: string | null; readonly signOutUrl: string | null }

/** The settings that the server passes to its page. */
export interface ServerSettings {
  readonly signIn: SignInWay
  /** The address of the pages of a stand-in for payments, which charges no real money; null without one. */
  readonly standInPayments: string | null
  /** The origin of the pages for visitors of bots; null if it is this page's own. */
  readonly widgetOrigin: string | null
}

export const serverSettingsQuery = queryOptions({
  queryKey: ["server-settings"],
  queryFn: ({ signal }) => read<ServerSettings>("/dashboard.json", signal),
  staleTime: Infinity
})

/** The name of one of the server's plans. */
export type Tier = string

/** The contents of a plan. */
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

/** The signed-in person, and their plan. */
export interface Me {
  readonly userId: string
  readonly email: string | null
  /** If the identity provider tells it. */
  readonly name?: string
  /** As an operator: support reads, an owner also acts. */
  readonly role?: "owner" | "support"
  readonly tier: TierBody
  /** The allowed uploads: types, their extensions without the dot, and the most bytes of a file. */
  readonly uploads: {
    readonly maxBytes: number
    readonly types: ReadonlyArray<string>
    readonly extensions: ReadonlyArray<string>
  }
}

/** The signed-in person; null without a session. */
export const meQuery = queryOptions({
  queryKey: ["me"],
  queryFn: async ({ signal }) => (await read<{ readonly me: Me | null }>("/api/session", signal)).me,
  staleTime: 60_000
})

export const signInForDevelopment = (email: string) => send("/dev/sign-in", json("POST", { email }))

/** Signs out here; returns the address to go to, if the sign-out continues elsewhere. */
export const signOut = async (way: SignInWay): Promise<string | undefined> => {
  await send("/api/sign-out", json("POST"))
  return way.kind === "elsewhere" ? (way.signOutUrl ?? undefined) : undefined
}
