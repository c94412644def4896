import { Conversation, type ConversationEvents } from "../app/chat/Conversation.ts"
import { markdown } from "../app/chat/replyParts.ts"
import type { ReplyMessage } from "../app/chat/ReplyMessage.ts"
import { Question } from "../app/chat/transcript/Question.tsx"
import { Reply } from "../app/chat/transcript/Reply.tsx"
import classes from "./Gallery.module.css"
import { Section } from "./Section.tsx"

const nothing = () => undefined

const events: ConversationEvents = {
  onCreated: nothing,
  onChanged: nothing,
  onAsked: nothing,
  onSessionEnded: nothing,
  onChosen: nothing,
  onRefused: nothing,
  existing: (ids) => ids
}

const CITED = "The tenant gives three months' notice."

const source = (number: number, text: string) => ({
  number,
  documentId: "lease",
  filename: "lease.pdf",
  page: number,
  start: 0,
  end: text.length,
  text,
  headings: []
})

const TEXT = `## Ending the lease

The tenant gives **three months'** notice [1], in *writing*; see [the law](https://example.org).

1. Write the notice.
2. Send it by the \`third\` working day.

> The landlord confirms it.

| Notice | Ends |
| --- | --- |
| March | June |

\`\`\`ts
// The last day of the lease.
const end = (given: Date, months = 3): string => \`\${given.getMonth() + months}\`
\`\`\`
`

const message = (id: string, text: string, metadata: ReplyMessage["metadata"] = {}): ReplyMessage => ({
  id,
  role: "assistant",
  text,
  metadata: { state: "complete", ...metadata }
})

const REPLIES: ReadonlyArray<ReplyMessage> = [
  message("complete", TEXT, {
    credits: 3,
    sources: [source(1, CITED), source(2, "The rent is due on the first day.")]
  }),
  message("stopped", "The tenant gives three", { state: "stopped", credits: 1 }),
  message("failed", "The tenant", { state: "failed" })
]

export const ChatSamples = () => {
  const conversation = new Conversation(events)
  const shared = { conversation, isIdle: true, isLast: false, start: undefined }
  if (markdown.useLoaded() === undefined) return null
  return (
    <Section title="Messages of a chat">
      <ol className={classes.messages}>
        <Question
          conversation={conversation}
          isIdle
          message={{ id: "question", role: "user", text: "How do I end the lease?", metadata: {} }}
        />
        {REPLIES.map((each) => (
          <Reply key={each.id} {...shared} message={each} isWriting={false} isLast={each.id === "failed"} />
        ))}
        <Reply {...shared} message={{ id: "written", role: "assistant", text: "It is being wri" }} isWriting isLast />
      </ol>
    </Section>
  )
}
