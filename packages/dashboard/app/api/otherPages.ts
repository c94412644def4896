import { type QueryClient, useQuery, useQueryClient } from "@tanstack/react-query"
import { useEffect, useRef } from "react"
import { balanceQuery } from "./billing.ts"
import { CHAT_KEY, CHATS_KEY, newestChatQuery } from "./chats.ts"
import { documentsQuery } from "./documents.ts"

/** The data that the pages of one person change for each other. */
const SHARED = [CHATS_KEY, CHAT_KEY, balanceQuery.queryKey, documentsQuery.queryKey]

/** Joins the pages of this browser. A page does not hear itself. */
const channel = new BroadcastChannel("parley")

/** The time between two looks for changes by other devices, on a page in view. */
const LOOK_MS = 1_000
/** The same on a page that was not touched for `IDLE_MS`. */
const IDLE_LOOK_MS = 15_000
const IDLE_MS = 600_000

let touchedAt = Date.now()
const touch = () => {
  touchedAt = Date.now()
}
for (const event of ["pointermove", "pointerdown", "keydown", "visibilitychange"]) {
  document.addEventListener(event, touch, { passive: true })
}

/** Reads the shared data again; on a page in the background when it is looked at. */
export const readAgain = (client: QueryClient): void => {
  const refetchType = document.visibilityState === "visible" ? "active" : "none"
  for (const queryKey of SHARED) void client.invalidateQueries({ queryKey, refetchType })
}

/** Has the other pages of this browser read the shared data again. */
export const tellOtherPages = (): void => channel.postMessage("changed")

/** Shows on this page what the person does on others: at once those of this browser, soon those of other devices. */
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
