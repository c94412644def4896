import { useEffect, useRef, useState } from "react"
import { useMessages } from "../messages/MessagesProvider.tsx"
import type { Conversation } from "../chat/Conversation.ts"
import { ReplyNarration, type ShownReply } from "./ReplyNarration.ts"
import type { ReplyMessage } from "../chat/ReplyMessage.ts"
import { markdown } from "../chat/replyParts.ts"
import { useFacts } from "../chat/useConversation.ts"

/**
 * The number of announcements that stay in the page: enough for a slow screen reader, and few enough not to disturb
 * browsing.
 */
const KEPT = 4

interface Announcement {
  readonly id: number
  readonly text: string
  /** True for an announcement that applies only while the reply is being written. */
  readonly isPassing: boolean
}

export interface AnnouncerProps {
  readonly conversation: Conversation
  readonly messages: ReadonlyArray<ReplyMessage>
  readonly isWriting: boolean
}

/** Announces a streamed reply to screen readers in whole sentences, never in tokens. */
export const Announcer = ({ conversation, messages, isWriting }: AnnouncerProps) => {
  const { t } = useMessages()
  const { isReconnecting, refusal } = useFacts(conversation)
  const isBusy = isWriting || isReconnecting
  const parts = markdown.useLoaded(isBusy)
  const [said, setSaid] = useState<ReadonlyArray<Announcement>>([])
  const [narration] = useState(() => new ReplyNarration())
  const count = useRef(0)
  useEffect(() => {
    const last = messages.at(-1)
    const reply = last?.role === "assistant" ? last : undefined
    const shown: ShownReply = {
      isBusy,
      refusal: refusal === undefined ? undefined : refusal.error === undefined ? "stopped" : "refused",
      text: reply === undefined ? "" : reply.text,
      state: reply?.metadata?.state
    }
    const { remark, sentences } = narration.update(shown, parts && (() => new parts.SpokenReply()))
    const texts = [...sentences, ...(remark === undefined ? [] : [t(`chat.announce.${remark}`)])]
    const { isFollowing } = narration
    const isPassing = remark === "writing"
    const entries = texts.map((text) => ({ id: (count.current += 1), text, isPassing }))
    setSaid((before) => {
      const lasting = isFollowing ? before : before.filter((entry) => !entry.isPassing)
      if (entries.length === 0 && lasting.length === before.length) return before
      return [...lasting, ...entries].slice(-Math.max(KEPT, entries.length))
    })
  }, [messages, isBusy, refusal, parts, narration, t])
  return (
    <div className="visually-hidden" aria-live="polite" aria-atomic="false">
      {said.map(({ id, text }) => (
        <p key={id}>{text}</p>
      ))}
    </div>
  )
}
