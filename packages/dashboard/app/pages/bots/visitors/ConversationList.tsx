import type { Bot, Conversation } from "@parley/client"
import { Button, Text, TextInput } from "@mantine/core"
import { useInfiniteQuery, useMutation } from "@tanstack/react-query"
import { useDeferredValue, useState } from "react"
import { Link } from "react-router"
import { conversationsQuery, exportConversations } from "../../../api/bots.ts"
import { useMessages } from "../../../messages/MessagesProvider.tsx"
import { Loading } from "../../../shell/Loading.tsx"
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx"
import { FreshSignInNotice } from "../../../shell/FreshSignInNotice.tsx"
import { Icon } from "../../../theme/Icon.tsx"
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
  const { t } = useMessages()
  const [search, setSearch] = useState("")
  const searched = useDeferredValue(search.trim())
  const { data, error, fetchNextPage, hasNextPage, isFetchingNextPage, refetch } = useInfiniteQuery({
    ...conversationsQuery(bot.id, searched),
    placeholderData: (before) => before
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
      {copy.error !== null && <FreshSignInNotice error={copy.error} />}
      {error !== null && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {data === undefined ? (
        error === null && <Loading />
      ) : conversations.length === 0 && !hasNextPage ? (
        <div className={classes.none}>
          <strong>{t(searched === "" ? "bots.conversations.none" : "bots.conversations.noneFound")}</strong>
          {searched === "" && <Text c="dimmed">{t("bots.conversations.none.text")}</Text>}
        </div>
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

interface RowProps {
  readonly botId: string
  readonly conversation: Conversation
}

const Row = ({ botId, conversation: { credits, id, firstQuestion, messageCount, updatedAt, visitor } }: RowProps) => {
  const { t, moment } = useMessages()
  return (
    <li className={classes.row}>
      <div className={classes.words}>
        <Link className={classes.title} to={conversationPath(botId, id)}>
          {firstQuestion.trim() === "" ? t("chat.untitled") : firstQuestion}
        </Link>
        <span className={classes.about}>
          {[
            moment(updatedAt),
            t("bots.conversations.visitor", { visitor: visitor.slice(0, VISITOR_SHOWN) }),
            t("bots.conversations.messages", { count: messageCount })
          ].join(" · ")}
        </span>
      </div>
      <span className={classes.credits}>{t("count.credits", { count: credits })}</span>
    </li>
  )
}

/** Characters of a visitor's id that are enough to distinguish visitors. */
export const VISITOR_SHOWN = 6
