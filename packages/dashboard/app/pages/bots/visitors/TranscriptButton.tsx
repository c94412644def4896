import type { Bot, ConversationMessage } from "@parley/client"
import { Button } from "@mantine/core"
import { useMutation } from "@tanstack/react-query"
import { parley } from "../../../api/parley.ts"
import { Icon } from "../../../theme/Icon.tsx"
import { saveFile } from "../../saveFile.ts"
import { useWidgetMessages } from "../widget/useWidgetMessages.ts"

export interface TranscriptButtonProps {
  readonly bot: Bot
  readonly conversationId: string
}

/** A button that saves a whole conversation as plain text: each message below its author and time. */
export const TranscriptButton = ({ bot, conversationId }: TranscriptButtonProps) => {
  const { t, moment } = useWidgetMessages()
  const authorOf = ({ author, role }: ConversationMessage) => {
    if (role !== "assistant") return t("bots.conversations.theVisitor")
    return author === null ? bot.displayName : author || t("widget.transcript.person")
  }
  const saving = useMutation({
    mutationFn: () => readMessages(bot.id, conversationId),
    onSuccess: (messages) => {
      const parts = messages.map(
        (message) => `${authorOf(message)} (${moment(message.createdAt)}):\n${message.content}\n`
      )
      saveFile("conversation.txt", "text/plain", parts.join("\n"))
    }
  })
  return (
    <Button
      variant="default"
      size="xs"
      leftSection={<Icon name="download" size={14} />}
      loading={saving.isPending}
      onClick={() => saving.mutate()}
    >
      {t(saving.isError ? "widget.transcript.failed" : "widget.transcript")}
    </Button>
  )
}

/** Reads all messages of a conversation, oldest first. */
const readMessages = async (botId: string, conversationId: string): Promise<ReadonlyArray<ConversationMessage>> => {
  let all: ReadonlyArray<ConversationMessage> = []
  let before: string | undefined
  do {
    const page = await parley.bots.conversation(botId, conversationId, { before })
    all = [...page.messages, ...all]
    before = page.nextBefore ?? undefined
  } while (before !== undefined)
  return all
}
