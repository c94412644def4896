import type { ChatStatus } from "ai"
import { useEffect, useRef, useState } from "react"
import { useMessages } from "../messages/MessagesProvider.tsx"
import { type ReplyMessage, textOf } from "./ReplyMessage.ts"
import { spokenSentences } from "./spokenSentences.ts"

/** How many announcements stay in the page: enough for a reader that lags, few enough not to be met when browsing. */
const KEPT = 4

export interface AnnouncerProps {
  readonly messages: ReadonlyArray<ReplyMessage>
  readonly status: ChatStatus
}

/** Speaks to people who do not see the page: a streamed reply in whole sentences, never in tokens. */
export const Announcer = ({ messages, status }: AnnouncerProps) => {
  const { t } = useMessages()
  const [said, setSaid] = useState<ReadonlyArray<{ readonly id: number; readonly text: string }>>([])
  const spoken = useRef({ status, id: "", upTo: 0, count: 0 })
  useEffect(() => {
    const was = spoken.current
    const last = messages.at(-1)
    const texts: Array<string> = []
    if (status === "submitted" && was.status !== "submitted") texts.push(t("chat.announce.writing"))
    const isWriting = status === "streaming" || was.status === "streaming"
    if (isWriting && last?.role === "assistant") {
      if (was.id !== last.id) {
        was.id = last.id
        was.upTo = 0
      }
      const { sentences, upTo } = spokenSentences(textOf(last), was.upTo, status !== "streaming")
      was.upTo = upTo
      texts.push(...sentences)
    }
    if (was.status === "streaming" && status === "ready") texts.push(t("chat.announce.done"))
    if (was.status === "streaming" && status === "error") texts.push(t("chat.announce.failed"))
    was.status = status
    if (texts.length === 0) return
    const entries = texts.map((text) => ({ id: (was.count += 1), text }))
    setSaid((before) => [...before, ...entries].slice(-KEPT))
  }, [messages, status, t])
  return (
    <div className="visually-hidden" aria-live="polite" aria-atomic="false">
      {said.map(({ id, text }) => (
        <p key={id}>{text}</p>
      ))}
    </div>
  )
}
