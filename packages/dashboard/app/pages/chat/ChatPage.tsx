import { useQuery } from "@tanstack/react-query"
import { use, useEffect } from "react"
import { useMatch, useNavigate, useParams, useSearchParams } from "react-router"
import { PAGE_PATHS } from "../../../src/pagePaths.ts"
import { hasStatus } from "../../api/parley.ts"
import { chatQuery } from "../../api/chats.ts"
import type { Conversation } from "../../chat/Conversation.ts"
import { markdown, replyPartsOf } from "../../chat/replyParts.ts"
import { useConversations } from "../../chat/ConversationsProvider.tsx"
import { useFacts } from "../../chat/useConversation.ts"
import { ConversationView } from "../../chat/ConversationView.tsx"
import { useMessages } from "../../messages/MessagesProvider.tsx"
import { NotFoundPage } from "../NotFoundPage.tsx"
import { Loading } from "../../shell/Loading.tsx"
import { useDocumentTitle } from "../../shell/Page.tsx"
import { ProblemNotice } from "../../shell/ProblemNotice.tsx"
import classes from "./ChatPage.module.css"

/** The markdown code is loaded at the same time as the chat, not after it. */
if (location.pathname.startsWith("/chats/")) markdown.preload()

/**
 * The page of a chat: a new one, or the one in the address. When a new chat gets its address, it stays on the page as
 * it is.
 */
export const ChatPage = () => {
  const { chatId } = useParams()
  const { t } = useMessages()
  const conversations = useConversations()
  // The server stores a chat while it sends the first words. The page that asked has the messages already, and could
  // not read them yet.
  const isReadable = () => chatId !== undefined && conversations.find(chatId)?.isWriting !== true
  const {
    data: stored,
    dataUpdatedAt,
    error,
    refetch
  } = useQuery({
    ...chatQuery(chatId ?? ""),
    enabled: isReadable
  })
  const opened = chatId === undefined ? conversations.fresh() : conversations.find(chatId)
  if (opened === undefined && stored !== undefined) use(replyPartsOf(stored))
  const conversation = opened ?? (stored === undefined ? undefined : conversations.open(stored))
  useEffect(() => {
    if (stored !== undefined) conversation?.follow(stored)
    // `dataUpdatedAt` also shows equal responses again, because the page may have been busy at the first one.
  }, [stored, dataUpdatedAt, conversation])
  if (conversation !== undefined) return <OpenChat key={conversation.id} conversation={conversation} />
  if (error !== null) {
    // A chat that does not exist will not appear later, so the page offers a new one.
    const isGone = hasStatus(error, 400, 404)
    if (isGone) return <NotFoundPage>{t("problem.chat_not_found")}</NotFoundPage>
    return (
      <div className={classes.problem}>
        <ProblemNotice error={error} onRetry={() => void refetch()} />
      </div>
    )
  }
  return <Loading />
}

const OpenChat = ({ conversation }: { readonly conversation: Conversation }) => {
  const { t } = useMessages()
  const navigate = useNavigate()
  const isAtStart = useMatch(PAGE_PATHS.newChat) !== null
  const { chatId, title } = useFacts(conversation)
  useDocumentTitle(chatId === undefined ? t("nav.newChat") : title === "" ? t("chat.untitled") : title)
  const [address] = useSearchParams()
  const named = isAtStart ? address.get("documents") : null
  useEffect(() => {
    // Other pages link here with documents to ask about.
    if (named === null) return
    void conversation.choose(named.split(","))
    void navigate(PAGE_PATHS.newChat, { replace: true })
  }, [named, conversation, navigate])
  const project = address.get("project")
  useEffect(() => {
    // The address may name the project in which a new chat begins.
    if (isAtStart && chatId === undefined) conversation.beginIn(project)
  }, [chatId, conversation, isAtStart, project])
  useEffect(() => {
    if (chatId !== undefined && isAtStart) void navigate(`/chats/${chatId}`, { replace: true })
  }, [chatId, isAtStart, navigate])
  return <ConversationView conversation={conversation} />
}
