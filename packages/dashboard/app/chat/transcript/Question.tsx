import { Button } from "@mantine/core"
import { memo, useState } from "react"
import { useMessages } from "../../messages/MessagesProvider.tsx"
import { GrowingField } from "../composer/GrowingField.tsx"
import type { Conversation } from "../Conversation.ts"
import { MessageImages } from "../images/MessageImages.tsx"
import { MessageAction } from "./MessageAction.tsx"
import { MessageVersions } from "./MessageVersions.tsx"
import classes from "./Question.module.css"
import type { ReplyMessage } from "../ReplyMessage.ts"

export interface QuestionProps {
  readonly conversation: Conversation
  readonly message: ReplyMessage
  /** True if no reply is being written. */
  readonly isIdle: boolean
}

/** The person's question, with buttons to copy it and to edit it in place. */
export const Question = memo(({ conversation, message, isIdle }: QuestionProps) => {
  const { t } = useMessages()
  const [edited, setEdited] = useState<string>()
  const text = message.text
  const isSendable = edited !== undefined && edited.trim() !== ""
  return (
    <li className={classes.question} data-role="user" data-message={message.metadata?.storedId}>
      <h2 className="visually-hidden">{t("chat.you")}</h2>
      {edited === undefined ? (
        <>
          {message.imageIds !== undefined && <MessageImages imageIds={message.imageIds} />}
          <div className={classes.words}>{text}</div>
          <div className={classes.foot}>
            <div className={classes.actions}>
              <MessageAction
                icon="copy"
                label={t("chat.copyQuestion")}
                onAct={() => navigator.clipboard.writeText(text)}
              />
              {isIdle && message.metadata !== undefined && (
                <MessageAction icon="edit" label={t("chat.edit")} onAct={() => setEdited(text)} />
              )}
            </div>
            <MessageVersions conversation={conversation} message={message} isIdle={isIdle} />
          </div>
        </>
      ) : (
        <form
          className={classes.form}
          onSubmit={(event) => {
            event.preventDefault()
            if (!isSendable) return
            setEdited(undefined)
            void conversation.edit(message, edited.trim())
          }}
        >
          <GrowingField
            label={t("chat.editField")}
            value={edited}
            onChange={setEdited}
            onKeyDown={({ key }) => {
              if (key === "Escape") setEdited(undefined)
            }}
            autoFocus
          />
          <p className={classes.hint}>{t("chat.editHint")}</p>
          <div className={classes.buttons}>
            <Button variant="default" onClick={() => setEdited(undefined)}>
              {t("action.cancel")}
            </Button>
            <Button type="submit" disabled={!isSendable}>
              {t("chat.editSubmit")}
            </Button>
          </div>
        </form>
      )}
    </li>
  )
})
Question.displayName = "Question"
