import { type QueryClient, useQuery, useQueryClient } from "@tanstack/react-query"
import { useEffect, useRef } from "react"
import { balanceQuery } from "./billing.ts"
import { CHAT_KEY, CHATS_KEY, newestChatQuery } from "./chats.ts"
import { documentsQuery } from "./documents.ts"

/** The keys of the data that several pages of one person change. */
const SHARED = [CHATS_KEY, CHAT_KEY, balanceQuery.queryKey, documentsQuery.queryKey]

/** The channel between all pages of this browser. A page does not receive its own messages. */
const channel = new BroadcastChannel("parley")

/** The interval of checking for changes by other devices while the page is in view. */
const LOOK_MS = 1_000
/** The interval on a page that the person has not touched for `IDLE_MS`. */
const IDLE_LOOK_MS = 15_000
const IDLE_MS = 600_000

let touchedAt = Date.now()
const touch = () => {
  touchedAt = Date.now()
}
for (const event of ["pointermove", "pointerdown", "keydown", "visibilitychange"]) {
  document.addEventListener(event, touch, { passive: true })
}

/** Reads the shared data again: at once, or on a page in the background when the person looks at it. */
export const readAgain = (client: QueryClient): void => {
  const refetchType = document.visibilityState === "visible" ? "active" : "none"
  for (const queryKey of SHARED) void client.invalidateQueries({ queryKey, refetchType })
}

/** Makes the other pages of this browser read the shared data again. */
export const tellOtherPages = (): void => channel.postMessage("changed")

/**
 * Shows changes that the person makes elsewhere: those of this browser at once, those of other devices a little later.
 */
export const useOtherPages = (): void => {
  const client = useQueryClient()
  useEffect(() => {
    const hear = () => readAgain(client)
    channel.addEventListener("message", hear)
    return () => channel.removeEventListener("message", hear)
  }, [client])
  const { data: newest } = useQuery({
    ...newestChatQuery,
    refetchInterval: () => (Date.now() - touchedAt < IDLE_MS ? LOOK_MS : IDLE_LOOK_MS)
  })
  const known = useRef(newest)
  useEffect(() => {
    if (known.current !== undefined && known.current !== newest) readAgain(client)
    known.current = newest
  }, [client, newest])
}
