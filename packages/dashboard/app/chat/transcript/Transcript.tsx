import { ActionIcon, Button } from "@mantine/core"
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react"
import { useMessages } from "../../messages/MessagesProvider.tsx"
import { Icon } from "../../theme/Icon.tsx"
import type { Conversation } from "../Conversation.ts"
import type { ConversationFacts } from "../ConversationFacts.ts"
import { KeptPlace } from "../../shell/KeptPlace.tsx"
import { useFoundMessage } from "./foundMessage.ts"
import { Question } from "./Question.tsx"
import { Reply } from "./Reply.tsx"
import { keyOf, type ReplyMessage } from "../ReplyMessage.ts"
import classes from "./Transcript.module.css"
import { useFacts } from "../useConversation.ts"

/** Distance in pixels between the view and the end within which the view follows new text. */
const NEAR = 80

export interface TranscriptProps {
  readonly conversation: Conversation
  readonly messages: ReadonlyArray<ReplyMessage>
  readonly isWriting: boolean
}

/** The messages, in order. The view follows new text while the reader is at the end. */
export const Transcript = ({ conversation, messages, isWriting }: TranscriptProps) => {
  const { t } = useMessages()
  const { start } = useFacts(conversation)
  const { scroller, content, isAtEnd, toEnd } = useFollowing()
  useFoundMessage(conversation)
  const [first] = messages
  return (
    <div className={classes.frame}>
      <div
        ref={scroller}
        className={classes.scroller}
        data-scrolls=""
        tabIndex={0}
        role="region"
        aria-label={t("chat.conversation")}
      >
        <KeptPlace first={first && keyOf(first)} list={content}>
          <h1 className="visually-hidden">{t("chat.conversation")}</h1>
          <div ref={content} className={classes.content}>
            <EarlierMessages conversation={conversation} />
            <MessageList conversation={conversation} messages={messages} isWriting={isWriting} start={start} />
          </div>
        </KeptPlace>
      </div>
      {!isAtEnd && (
        <ActionIcon
          className={classes.toEnd ?? ""}
          variant="default"
          radius="xl"
          size="lg"
          aria-label={t("chat.toNewest")}
          onClick={toEnd}
        >
          <Icon name="arrowDown" />
        </ActionIcon>
      )}
    </div>
  )
}

interface MessageListProps extends TranscriptProps {
  readonly start: ConversationFacts["start"]
}

const MessageList = ({ conversation, messages, isWriting, start }: MessageListProps) => {
  const { t } = useMessages()
  const last = messages.at(-1)
  return (
    <ol className={classes.messages}>
      {messages.map((message) => {
        const shared = { conversation, message, isIdle: !isWriting }
        if (message.role === "user") return <Question key={keyOf(message)} {...shared} />
        if (message.role !== "assistant") return null
        const isLast = message === last
        return (
          <Reply
            key={keyOf(message)}
            {...shared}
            isLast={isLast}
            isWriting={isWriting && isLast}
            start={isLast ? start : undefined}
          />
        )
      })}
      {isWriting && last?.role === "user" && (
        <li className={classes.waiting}>
          <span className={classes.pulse} aria-hidden="true" />
          <span className="visually-hidden">{t("chat.thinking")}</span>
        </li>
      )}
    </ol>
  )
}

/** A button that shows earlier messages, if there are any. */
const EarlierMessages = ({ conversation }: Pick<TranscriptProps, "conversation">) => {
  const { t } = useMessages()
  const { nextBefore } = useFacts(conversation)
  const [isReading, setReading] = useState(false)
  const [shown, setShown] = useState(0)
  const read = async () => {
    setReading(true)
    setShown(0)
    setShown(await conversation.readEarlier().catch(() => 0))
    setReading(false)
  }
  return (
    <>
      {nextBefore !== null && (
        <Button
          variant="default"
          size="xs"
          className={classes.earlier ?? ""}
          loading={isReading}
          onClick={() => void read()}
        >
          {t("chat.loadEarlier")}
        </Button>
      )}
      <p className="visually-hidden" role="status">
        {shown > 0 && t("chat.earlierShown", { count: shown })}
      </p>
    </>
  )
}

/** Keeps the end in view while the content grows, until the reader scrolls away. */
const useFollowing = () => {
  const scroller = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const isFollowing = useRef(true)
  const [isAtEnd, setAtEnd] = useState(true)
  const toEnd = useCallback(() => {
    const box = scroller.current
    if (box === null) return
    isFollowing.current = true
    box.scrollTop = box.scrollHeight
  }, [])
  useLayoutEffect(toEnd, [toEnd])
  useEffect(() => {
    const [box, grown] = [scroller.current, content.current]
    if (box === null || grown === null) return
    const onScroll = () => {
      isFollowing.current = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR
      setAtEnd(isFollowing.current)
    }
    const observer = new ResizeObserver(() => {
      if (isFollowing.current) box.scrollTop = box.scrollHeight
    })
    observer.observe(grown)
    observer.observe(box)
    box.addEventListener("scroll", onScroll, { passive: true })
    return () => {
      observer.disconnect()
      box.removeEventListener("scroll", onScroll)
    }
  }, [])
  return { scroller, content, isAtEnd, toEnd }
}
