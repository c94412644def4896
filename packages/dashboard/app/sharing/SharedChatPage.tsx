import type { SharedMessage } from "@parley/client"
import { Button, Title } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { Suspense, useEffect, useMemo } from "react"
import { Link, useParams } from "react-router"
import { hasStatus, parley } from "../api/parley.ts"
import { markdown } from "../chat/replyParts.ts"
import { type Citations, CitationsContext } from "../markdown/Citations.ts"
import message from "../shell/Message.module.css"
import { Brand } from "../brand/Brand.tsx"
import { Loading } from "../shell/Loading.tsx"
import { useDocumentTitle } from "../shell/Page.tsx"
import { ProblemNotice } from "../shell/ProblemNotice.tsx"
import { citedNumbers } from "../sources/citedNumbers.ts"
import classes from "./SharedChatPage.module.css"
import { useSharingMessages } from "./useSharingMessages.ts"

/** The page of a shared chat, for anyone with its link. It needs no session, and nothing on it can be changed. */
export const SharedChatPage = () => {
  const { shareId = "" } = useParams()
  const { t, day } = useSharingMessages()
  const { data, error, refetch } = useQuery({
    queryKey: ["shared", shareId],
    queryFn: ({ signal }) => parley.call("getSharedChat", { path: { share: shareId } }, { signal })
  })
  useDocumentTitle(data?.title ?? t("shared.title"))
  useEffect(() => void markdown.load(), [])
  if (hasStatus(error, 400, 404)) {
    return (
      <main className={message.place}>
        <Title order={1} size="h3">
          {t("shared.title")}
        </Title>
        <p>{t("shared.gone")}</p>
        <OwnChat />
      </main>
    )
  }
  if (data === undefined) {
    return error === null ? <Loading /> : <ProblemNotice error={error} onRetry={() => void refetch()} />
  }
  return (
    <div className={classes.scroller}>
      <main className={classes.column}>
        <Brand />
        <header className={classes.head}>
          <Title order={1} size="h2">
            {data.title}
          </Title>
          <p className={classes.note}>{t("shared.note", { date: day(data.sharedAt) })}</p>
        </header>
        <Suspense fallback={<Loading />}>
          <ol className={classes.messages}>
            {data.messages.map((each) =>
              each.role === "user" ? (
                <li key={each.id} className={classes.question} data-role="user">
                  <h2 className="visually-hidden">{t("chat.you")}</h2>
                  <div className={classes.words}>{each.content}</div>
                </li>
              ) : (
                <SharedReply key={each.id} reply={each} />
              )
            )}
          </ol>
        </Suspense>
        <OwnChat />
      </main>
    </div>
  )
}

const OwnChat = () => {
  const { t } = useSharingMessages()
  return (
    <Button component={Link} to="/" variant="default" className={classes.own ?? ""}>
      {t("shared.own")}
    </Button>
  )
}

/** A reply with the names of the documents that it cites. */
const SharedReply = ({ reply: { content, sources } }: { readonly reply: SharedMessage }) => {
  const { t } = useSharingMessages()
  const Markdown = markdown.useLoaded()?.Markdown
  const cited = useMemo(() => {
    const numbers = citedNumbers(content)
    return sources.filter(({ number }) => numbers.has(number))
  }, [content, sources])
  const citations = useMemo(
    (): Citations => ({
      numbers: new Set(),
      label: (number) => t("chat.source", { number }),
      onOpen: () => undefined
    }),
    [t]
  )
  return (
    <li data-role="assistant">
      <h2 className="visually-hidden">{t("chat.assistant")}</h2>
      <CitationsContext value={citations}>
        {Markdown === undefined ? <p>{content}</p> : <Markdown text={content} isGrowing={false} />}
      </CitationsContext>
      {cited.length > 0 && (
        <ul className={classes.sources}>
          {cited.map(({ filename, number, page }) => (
            <li key={number}>
              {page === null
                ? t("shared.source", { number: String(number), name: filename })
                : t("shared.sourcePage", { number: String(number), name: filename, page })}
            </li>
          ))}
        </ul>
      )}
    </li>
  )
}
