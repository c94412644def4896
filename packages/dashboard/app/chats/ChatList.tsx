import { useInfiniteQuery } from "@tanstack/react-query"
import { useDeferredValue, useId, useState } from "react"
import { chatsQuery } from "../api/chats.ts"
import { useMessages } from "../messages/MessagesProvider.tsx"
import { ProblemNotice } from "../shell/ProblemNotice.tsx"
import { Icon } from "../theme/Icon.tsx"
import classes from "./ChatList.module.css"
import { ChatRow } from "./ChatRow.tsx"
import { groupByDay } from "./groupByDay.ts"

export interface ChatListProps {
  readonly onChoose: () => void
}

/** The person's chats, last used first and grouped by day, or the chats that contain the searched words. */
export const ChatList = ({ onChoose }: ChatListProps) => {
  const { t } = useMessages()
  const [search, setSearch] = useState("")
  const searched = useDeferredValue(search.trim())
  const { data, dataUpdatedAt, error, fetchNextPage, hasNextPage, isFetchingNextPage } = useInfiniteQuery({
    ...chatsQuery(searched),
    placeholderData: (before) => before
  })
  const id = useId()
  const chats = data?.pages.flatMap((page) => page.chats) ?? []
  const isSearched = searched !== ""
  return (
    <section className={classes.chats} aria-label={t("chats.title")}>
      <div className={classes.search} role="search">
        <Icon name="search" />
        <input
          type="search"
          aria-label={t("chats.search")}
          placeholder={t("chats.search")}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
      </div>
      <div className={classes.list}>
        {error !== null && <ProblemNotice error={error} />}
        {data !== undefined && chats.length === 0 && (
          <p className={classes.empty}>{isSearched ? t("chats.noneFound") : t("chats.empty")}</p>
        )}
        {groupByDay(chats, dataUpdatedAt).map(({ group, chats: members }) => (
          <div key={group}>
            <h2 id={`${id}-${group}`} className={classes.day}>
              {t(`chats.group.${group}`)}
            </h2>
            <ul aria-labelledby={`${id}-${group}`}>
              {members.map((chat) => (
                <ChatRow key={chat.id} chat={chat} searched={searched} onChoose={onChoose} />
              ))}
            </ul>
          </div>
        ))}
        {hasNextPage && (
          <button
            type="button"
            className={classes.more}
            disabled={isFetchingNextPage}
            onClick={() => void fetchNextPage()}
          >
            {t("chats.more")}
          </button>
        )}
      </div>
    </section>
  )
}
