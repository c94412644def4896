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

/** With the chat, not after it. */
if (location.pathname.startsWith("/chats/")) markdown.preload()

/** A chat: a new one, or the one in the address. A new chat that gets its address keeps its place on the page. */
export const ChatPage = () => {
  const { chatId } = useParams()
  const { t } = useMessages()
  const conversations = useConversations()
  // A chat is stored beside its first words: the page that writes it need not, and cannot yet, read it.
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
    // Also the same answer counts: the page may have been busy when it came first.
  }, [stored, dataUpdatedAt, conversation])
  if (conversation !== undefined) return <OpenChat key={conversation.id} conversation={conversation} />
  if (error !== null) {
    // A chat that is not there stays so: the way on is a new one.
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
    // Other pages lead here with documents to ask about.
    if (named === null) return
    void conversation.choose(named.split(","))
    void navigate(PAGE_PATHS.newChat, { replace: true })
  }, [named, conversation, navigate])
  const project = address.get("project")
  useEffect(() => {
    // A new chat begins in the project that its address names.
    if (isAtStart && chatId === undefined) conversation.beginIn(project)
  }, [chatId, conversation, isAtStart, project])
  useEffect(() => {
    if (chatId !== undefined && isAtStart) void navigate(`/chats/${chatId}`, { replace: true })
  }, [chatId, isAtStart, navigate])
  return <ConversationView conversation={conversation} />
}
