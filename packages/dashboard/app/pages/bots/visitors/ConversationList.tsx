import type { Bot, Conversation } from "@parley/client"
import { Button, Text, TextInput } from "@mantine/core"
import { useInfiniteQuery, useMutation } from "@tanstack/react-query"
import { useDeferredValue, useState } from "react"
import { Link, useSearchParams } from "react-router"
import { conversationsQuery, exportConversations } from "../../../api/bots.ts"
import { HANDOVER_STATES, refreshOf } from "../../../api/inbox.ts"
import { useMessages } from "../../../messages/MessagesProvider.tsx"
import { Loading } from "../../../shell/Loading.tsx"
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx"
import { FreshSignInNotice } from "../../../shell/FreshSignInNotice.tsx"
import { Icon } from "../../../theme/Icon.tsx"
import { InboxFilter } from "../people/InboxFilter.tsx"
import { StateBadge } from "../people/StateBadge.tsx"
import { useHandoverMessages } from "../people/useHandoverMessages.ts"
import { saveFile } from "../../saveFile.ts"
import { conversationPath } from "../botPath.ts"
import classes from "./ConversationList.module.css"

const EXPORT_FORMATS = ["csv", "jsonl"] as const
type ExportFormat = (typeof EXPORT_FORMATS)[number]
const EXPORT_TYPES = { csv: "text/csv", jsonl: "application/jsonl" } as const satisfies Record<ExportFormat, string>

const useExport = (botId: string) =>
  useMutation({
    mutationFn: (format: ExportFormat) => exportConversations(botId, format),
    onSuccess: (file, format) => saveFile(`conversations.${format}`, EXPORT_TYPES[format], file)
  })

const ExportButtons = ({ copy }: { readonly copy: ReturnType<typeof useExport> }) => {
  const { t } = useMessages()
  return EXPORT_FORMATS.map((format) => (
    <Button
      key={format}
      variant="default"
      loading={copy.isPending && copy.variables === format}
      onClick={() => copy.mutate(format)}
      leftSection={<Icon name="download" size={16} />}
    >
      {t(`bots.conversations.export.${format}`)}
    </Button>
  ))
}

/** The conversations of a bot's visitors, last used first, with the cost of each. */
export const ConversationList = ({ bot }: { readonly bot: Bot }) => {
  const { t } = useHandoverMessages()
  const [search, setSearch] = useState("")
  const [params, setParams] = useSearchParams()
  const state = bot.handOver ? HANDOVER_STATES.find((each) => each === params.get("state")) : undefined
  const searched = useDeferredValue(search.trim())
  const { data, error, fetchNextPage, hasNextPage, isFetchingNextPage, refetch } = useInfiniteQuery({
    ...conversationsQuery(bot.id, searched, state),
    placeholderData: (before) => before,
    refetchInterval: refreshOf(bot).list
  })
  const copy = useExport(bot.id)
  const conversations = data?.pages.flatMap((page) => page.conversations) ?? []
  return (
    <>
      <div className={classes.tools}>
        <TextInput
          className={classes.search ?? ""}
          type="search"
          aria-label={t("bots.conversations.search")}
          placeholder={t("bots.conversations.search")}
          leftSection={<Icon name="search" size={16} />}
          value={search}
          onChange={({ currentTarget }) => setSearch(currentTarget.value)}
        />
        <ExportButtons copy={copy} />
      </div>
      {bot.handOver && (
        <InboxFilter
          bot={bot}
          state={state}
          onChange={(next) => setParams(next === undefined ? {} : { state: next }, { replace: true })}
        />
      )}
      {copy.error !== null && <FreshSignInNotice error={copy.error} />}
      {error !== null && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {data === undefined ? (
        error === null && <Loading />
      ) : conversations.length === 0 && !hasNextPage ? (
        <NoConversation isSearched={searched !== ""} isInState={state !== undefined} />
      ) : (
        <ul className={classes.list} aria-label={t("bots.parts.conversations")}>
          {conversations.map((conversation) => (
            <Row key={conversation.id} botId={bot.id} conversation={conversation} />
          ))}
        </ul>
      )}
      {hasNextPage && (
        <div className={classes.more}>
          <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {t("action.showMore")}
          </Button>
        </div>
      )}
    </>
  )
}

interface NoConversationProps {
  readonly isSearched: boolean
  readonly isInState: boolean
}

const NoConversation = ({ isInState, isSearched }: NoConversationProps) => {
  const { t } = useHandoverMessages()
  const none = isInState ? "handover.none" : "bots.conversations.none"
  return (
    <div className={classes.none}>
      <strong>{t(isSearched ? "bots.conversations.noneFound" : none)}</strong>
      {!isSearched && !isInState && <Text c="dimmed">{t("bots.conversations.none.text")}</Text>}
    </div>
  )
}

interface RowProps {
  readonly botId: string
  readonly conversation: Conversation
}

const Row = ({ botId, conversation }: RowProps) => {
  const { t, moment } = useHandoverMessages()
  const { credits, id, firstQuestion, messageCount, state, updatedAt, visitor } = conversation
  return (
    <li className={classes.row}>
      <div className={classes.words}>
        <Link className={classes.title} to={conversationPath(botId, id)}>
          {firstQuestion.trim() === "" ? t("handover.title") : firstQuestion}
        </Link>
        <span className={classes.about}>
          {[
            moment(updatedAt),
            t("bots.conversations.visitor", { visitor: visitor.slice(0, VISITOR_SHOWN) }),
            t("bots.conversations.messages", { count: messageCount })
          ].join(" · ")}
        </span>
      </div>
      <StateBadge state={state} />
      <span className={classes.credits}>{t("count.credits", { count: credits })}</span>
    </li>
  )
}

/** The number of characters of a visitor's id that are shown: enough to distinguish visitors. */
export const VISITOR_SHOWN = 6
