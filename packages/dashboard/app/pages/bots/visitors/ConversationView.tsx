import type { Bot, ConversationMessage } from "@parley/client"
import { Button, Text, Title } from "@mantine/core"
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query"
import { useMemo, useRef, useState } from "react"
import { Link, useNavigate } from "react-router"
import { conversationQuery } from "../../../api/bots.ts"
import { refreshOf } from "../../../api/inbox.ts"
import { parley } from "../../../api/parley.ts"
import { KeptPlace } from "../../../shell/KeptPlace.tsx"
import { markdown } from "../../../chat/replyParts.ts"
import { useMessages } from "../../../messages/MessagesProvider.tsx"
import { ConfirmDialog } from "../../../shell/ConfirmDialog.tsx"
import { Loading } from "../../../shell/Loading.tsx"
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx"
import { ReplySources } from "../../../sources/ReplySources.tsx"
import { PersonDesk } from "../people/PersonDesk.tsx"
import { useHandoverMessages } from "../people/useHandoverMessages.ts"
import { conversationsPath } from "../botPath.ts"
import { VISITOR_SHOWN } from "./ConversationList.tsx"
import classes from "./ConversationView.module.css"
import { TranscriptButton } from "./TranscriptButton.tsx"
import { VisitorFiles } from "./VisitorFiles.tsx"

export interface ConversationViewProps {
  readonly bot: Bot
  readonly conversationId: string
}

/** One conversation of a visitor with a bot, with the cost of each reply. */
export const ConversationView = ({ bot, conversationId }: ConversationViewProps) => {
  const { t, moment } = useHandoverMessages()
  const { data, error, fetchNextPage, hasNextPage, isFetchingNextPage, refetch } = useInfiniteQuery({
    ...conversationQuery(bot.id, conversationId),
    refetchInterval: refreshOf(bot).conversation
  })
  const [isDeleting, setDeleting] = useState(false)
  const list = useRef<HTMLOListElement>(null)
  const [conversation] = data?.pages ?? []
  if (conversation === undefined) {
    return error === null ? <Loading /> : <ProblemNotice error={error} onRetry={() => void refetch()} />
  }
  const messages = data?.pages.toReversed().flatMap((page) => page.messages) ?? []
  return (
    <article className={classes.conversation} aria-label={t("chat.conversation")}>
      <Link className={classes.back} to={conversationsPath(bot.id)}>
        {t("bots.conversations.back")}
      </Link>
      <header className={classes.head}>
        <div>
          <Title order={2} size="h4">
            {conversation.firstQuestion.trim() === "" ? t("handover.title") : conversation.firstQuestion}
          </Title>
          <Text size="sm" c="dimmed">
            {[
              moment(conversation.createdAt),
              t("bots.conversations.visitor", { visitor: conversation.visitor.slice(0, VISITOR_SHOWN) }),
              t("count.credits", { count: conversation.credits })
            ].join(" · ")}
          </Text>
        </div>
        <div className={classes.tools}>
          <TranscriptButton bot={bot} conversationId={conversationId} />
          <Button variant="default" size="xs" onClick={() => setDeleting(true)}>
            {t("bots.delete")}
          </Button>
        </div>
      </header>
      <VisitorFiles files={conversation.files} />
      {hasNextPage && (
        <Button variant="default" size="xs" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {t("chat.loadEarlier")}
        </Button>
      )}
      <KeptPlace first={messages[0]?.id} list={list}>
        <ol ref={list} className={classes.messages}>
          {messages.map((message) => (
            <Message key={message.id} message={message} name={bot.displayName} />
          ))}
        </ol>
      </KeptPlace>
      {bot.handOver && <PersonDesk bot={bot} conversation={conversation} />}
      {isDeleting && <DeleteDialog botId={bot.id} conversationId={conversationId} onClose={() => setDeleting(false)} />}
    </article>
  )
}

interface MessageProps {
  readonly message: ConversationMessage
  /** The name of the bot. */
  readonly name: string
}

const Message = ({ message, name }: MessageProps) => {
  const { t, moment } = useHandoverMessages()
  const { author, content, createdAt, credits, role, sources, state } = message
  const [shown, setShown] = useState<number>()
  const Markdown = markdown.useLoaded()?.Markdown
  const isReply = role === "assistant"
  const shownSources = useMemo(() => sources.map((source) => ({ ...source, headings: [] })), [sources])
  return (
    <li className={classes.message} data-role={role}>
      <p className={classes.who}>
        <strong>
          {author !== null ? author || t("handover.person") : isReply ? name : t("bots.conversations.theVisitor")}
        </strong>{" "}
        {moment(createdAt)}
        {isReply && credits !== null && ` · ${t("count.credits", { count: credits })}`}
        {isReply && credits === null && state === "complete" && ` · ${t("bots.conversations.free")}`}
      </p>
      {isReply ? (
        Markdown === undefined ? (
          <p>{content}</p>
        ) : (
          <Markdown text={content} isGrowing={false} />
        )
      ) : (
        <p className={classes.question}>{content}</p>
      )}
      {state !== "complete" && state !== "streaming" && <p className={classes.who}>{t(`chat.state.${state}`)}</p>}
      {shownSources.length > 0 && (
        <ReplySources text={content} sources={shownSources} shown={shown} onShow={setShown} />
      )}
    </li>
  )
}

interface DeleteDialogProps {
  readonly botId: string
  readonly conversationId: string
  readonly onClose: () => void
}

const DeleteDialog = ({ botId, conversationId, onClose }: DeleteDialogProps) => {
  const { t } = useMessages()
  const client = useQueryClient()
  const navigate = useNavigate()
  const deleting = useMutation({
    mutationFn: () => parley.bots.deleteConversation(botId, conversationId),
    onSuccess: async () => {
      void navigate(conversationsPath(botId), { replace: true })
      await client.invalidateQueries({ queryKey: ["bots", botId, "conversations"] })
    }
  })
  return (
    <ConfirmDialog
      title={t("bots.conversations.delete.title")}
      text={t("bots.conversations.delete.text")}
      action={t("bots.delete")}
      isBusy={deleting.isPending}
      problem={deleting.error ?? undefined}
      onConfirm={() => deleting.mutate()}
      onClose={onClose}
    />
  )
}
