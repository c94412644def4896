import { useQueryClient } from "@tanstack/react-query"
import { createContext, type ReactNode, use, useMemo } from "react"
import { documentsQuery } from "../api/documents.ts"
import { readAgain, tellOtherPages, useOtherPages } from "../api/otherPages.ts"
import { meQuery } from "../api/session.ts"
import { chosenDocuments } from "../documents/chosenDocuments.ts"
import { Conversations } from "./Conversations.ts"

const ConversationsContext = createContext<Conversations | undefined>(undefined)

/** Keeps the conversations of a person while the person navigates, so that running replies are read further. */
export const ConversationsProvider = ({ children }: { readonly children: ReactNode }) => {
  const queryClient = useQueryClient()
  useOtherPages()
  const conversations = useMemo(
    () =>
      new Conversations({
        onChanged: () => readAgain(queryClient),
        onAsked: tellOtherPages,
        onChosen: (documentIds) => {
          const me = queryClient.getQueryData(meQuery.queryKey)
          if (me != null) chosenDocuments.keep(me.userId, documentIds)
        },
        onRefused: () => void queryClient.invalidateQueries({ queryKey: documentsQuery.queryKey }),
        existing: (documentIds) => {
          const known = queryClient.getQueryData(documentsQuery.queryKey)
          return known === undefined ? documentIds : documentIds.filter((id) => known.some((each) => each.id === id))
        },
        onSessionEnded: () => queryClient.setQueryData(meQuery.queryKey, null)
      }),
    [queryClient]
  )
  return <ConversationsContext value={conversations}>{children}</ConversationsContext>
}

export const useConversations = (): Conversations => {
  const conversations = use(ConversationsContext)
  if (conversations === undefined) throw new Error("There is no ConversationsProvider above this component.")
  return conversations
}
