import { memo, Suspense, useMemo, useState } from "react"
import { useQuery } from "@tanstack/react-query"
import { documentsQuery } from "../../api/documents.ts"
import { type Citations, CitationsContext } from "../../markdown/Citations.ts"
import { useMessages } from "../../messages/MessagesProvider.tsx"
import { ReplySources } from "../../sources/ReplySources.tsx"
import type { Conversation } from "../Conversation.ts"
import { MessageAction } from "./MessageAction.tsx"
import { MessageVersions } from "./MessageVersions.tsx"
import classes from "./Reply.module.css"
import { markdown } from "../replyParts.ts"
import type { ReplyMessage } from "../ReplyMessage.ts"
import type { ReplyStart } from "../ShownMessages.ts"
import { lazyPart } from "../../parts/lazyPart.ts"

const RatingButtons = lazyPart(async () => (await import("../../sharing/RatingButtons.tsx")).RatingButtons)
const Receipt = lazyPart(async () => (await import("./ReceiptView.tsx")).ReceiptView)

export interface ReplyProps {
  readonly conversation: Conversation
  readonly message: ReplyMessage
  /** True if no reply is being written. */
  readonly isIdle: boolean
  readonly isLast: boolean
  readonly isWriting: boolean
  /** The data in the head of the reply, if it is the newest one. */
  readonly start: ReplyStart | undefined
}

/** The attributes by which other code finds the reply on the page. */
const marksOf = ({ metadata }: ReplyMessage, isWriting: boolean) => ({
  "data-role": "assistant",
  "data-message": metadata?.storedId,
  "data-state": isWriting ? "writing" : (metadata?.state ?? "new")
})

/**
 * A reply from its first words to its sources and price. It is no ARIA live region, because `Announcer` announces its
 * words.
 */
export const Reply = memo(
  ({ conversation, message, isIdle, isLast, isWriting, start }: ReplyProps) => {
    const { t } = useMessages()
    const Markdown = markdown.useLoaded()?.Markdown
    const { metadata = {}, text } = message
    const { state, credits, receipt, sources, unread } = metadata
    const [shown, setShown] = useState<number>()
    const [isReceiptOpen, setReceiptOpen] = useState(false)
    const citations = useCitations(sources, setShown)
    const regenerate = () => void conversation.regenerate(message)
    const unfinished = isWriting || state === undefined || state === "complete" ? undefined : state
    return (
      <li className={classes.reply} {...marksOf(message, isWriting)}>
        <h2 className="visually-hidden">{t("chat.assistant")}</h2>
        <div className={classes.words} aria-live="off">
          <CitationsContext value={citations}>
            {Markdown === undefined ? (
              <p className={classes.loading}>{text}</p>
            ) : (
              <Markdown text={text} isGrowing={isWriting} />
            )}
          </CitationsContext>
        </div>
        <ReplyNotes start={start} unread={isWriting ? undefined : unread} />
        {unfinished !== undefined && <p className={classes.unfinished}>{t(`chat.state.${unfinished}`)}</p>}
        {!isWriting && sources !== undefined && sources.length > 0 && (
          <ReplySources text={text} sources={sources} shown={shown} onShow={setShown} />
        )}
        {!isWriting && (
          <div className={classes.actions}>
            <MessageAction icon="copy" label={t("chat.copyReply")} onAct={() => navigator.clipboard.writeText(text)} />
            {isIdle && state !== undefined && (
              <MessageAction icon="refresh" label={t("chat.regenerate")} onAct={regenerate} />
            )}
            <MessageVersions conversation={conversation} message={message} isIdle={isIdle} />
            {credits !== undefined && <Cost credits={credits} isOpen={isReceiptOpen} onChange={setReceiptOpen} />}
            <ReplyRating conversation={conversation} message={message} />
            {isIdle && isLast && unfinished !== undefined && (
              <button type="button" className={classes.cost} onClick={regenerate}>
                {t("chat.askAgain")}
              </button>
            )}
          </div>
        )}
        {isReceiptOpen && receipt !== undefined && (
          <Suspense fallback={null}>
            <Receipt receipt={receipt} />
          </Suspense>
        )}
      </li>
    )
  },
  (before, after) =>
    before.message === after.message &&
    before.isWriting === after.isWriting &&
    before.start === after.start &&
    before.isIdle === after.isIdle &&
    before.isLast === after.isLast
)
Reply.displayName = "Reply"

interface CostProps {
  readonly credits: number
  /** True if the receipt is shown. */
  readonly isOpen: boolean
  readonly onChange: (isOpen: boolean) => void
}

/** The cost of a reply: a button that shows its receipt. */
const Cost = ({ credits, isOpen, onChange }: CostProps) => {
  const { t } = useMessages()
  return (
    <button
      type="button"
      className={classes.cost}
      aria-expanded={isOpen}
      title={t("chat.receipt")}
      onClick={() => onChange(!isOpen)}
    >
      {t("chat.cost", { count: credits })}
    </button>
  )
}

/**
 * The rating of a reply that a model wrote and the server has stored. It comes last in its row, so that its appearance
 * moves nothing.
 */
const ReplyRating = ({ conversation, message: { metadata } }: Pick<ReplyProps, "conversation" | "message">) => {
  const { model, rating, state, storedId } = metadata ?? {}
  const { chatId } = conversation.facts()
  if (chatId === undefined || storedId === undefined || state === undefined || model === undefined) return null
  return (
    <Suspense fallback={null}>
      <RatingButtons key={storedId} chatId={chatId} messageId={storedId} stored={rating} />
    </Suspense>
  )
}

const useCitations = (
  sources: ReadonlyArray<{ readonly number: number }> | undefined,
  onOpen: (number: number) => void
): Citations => {
  const { t } = useMessages()
  return useMemo(
    () => ({
      numbers: new Set(sources?.map(({ number }) => number)),
      label: (number) => t("chat.source", { number }),
      onOpen
    }),
    [sources, t, onOpen]
  )
}

/** The largest number of names of unread documents that are listed. Above it, only their number is shown. */
const MOST_NAMES = 5
const NONE: ReadonlyArray<string> = []

interface ReplyNotesProps {
  readonly start: ReplyStart | undefined
  readonly unread: ReadonlyArray<string> | undefined
}

/** The notes about a reply's documents and credits. */
const ReplyNotes = ({ start, unread = NONE }: ReplyNotesProps) => {
  const { t, list } = useMessages()
  const { limitedTo, pendingDocuments: pending = NONE } = start ?? {}
  const { data: documents } = useQuery({ ...documentsQuery, enabled: pending.length + unread.length > 0 })
  const namesOf = (ids: ReadonlyArray<string>) =>
    list(ids.map((id) => documents?.find((document) => document.id === id)?.filename ?? id))
  return (
    <>
      {limitedTo !== undefined && <p className={classes.note}>{t("chat.note.limited", { count: limitedTo })}</p>}
      {pending.length > 0 && <p className={classes.note}>{t("chat.note.pending", { names: namesOf(pending) })}</p>}
      {unread.length > 0 && (
        <p className={classes.note}>
          {unread.length > MOST_NAMES
            ? t("chat.note.unreadMany", { count: unread.length })
            : t("chat.note.unread", { names: namesOf(unread) })}
        </p>
      )}
    </>
  )
}
