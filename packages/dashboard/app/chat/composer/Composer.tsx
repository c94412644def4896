import { ActionIcon } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { type ClipboardEvent, type KeyboardEvent, useEffect, useRef, useState } from "react"
import { meQuery } from "../../api/session.ts"
import { useMessages } from "../../messages/MessagesProvider.tsx"
import { MESSAGE_FORM } from "../../keys/shortcuts.ts"
import { Icon } from "../../theme/Icon.tsx"
import classes from "./Composer.module.css"
import type { Conversation } from "../Conversation.ts"
import { DocumentsButton } from "./DocumentsButton.tsx"
import { drafts } from "../drafts.ts"
import { GrowingField } from "./GrowingField.tsx"
import { ModelPicker } from "./ModelPicker.tsx"
import { markdown } from "../replyParts.ts"
import { useFacts } from "../useConversation.ts"
import { AddedImages } from "../images/AddedImages.tsx"
import { ImageButton } from "../images/ImageButton.tsx"
import { type AddingImages, isImage } from "../images/useImages.ts"
import { VoiceButton } from "../voice/VoiceButton.tsx"

export interface ComposerProps {
  readonly images: AddingImages
  readonly conversation: Conversation
  readonly isWriting: boolean
  /** A suggested question to put into the field. */
  readonly suggestion: string | undefined
  readonly onSent: () => void
  /** An unanswered question to put back into the field. */
  readonly returned: string | undefined
}

/** The field for a question, with the choice of documents and the model. */
export const Composer = ({ conversation, images, isWriting, suggestion, onSent, returned }: ComposerProps) => {
  const { t } = useMessages()
  const field = useRef<HTMLTextAreaElement>(null)
  const { text, setText, clearField } = useDraft(conversation)
  useGiven(suggestion, setText, field)
  useGiven(returned, setText, field)
  useEscape(isWriting, () => void conversation.stop())
  const canSend = text.trim() !== "" && !isWriting && images.waiting === 0
  const submit = () => {
    if (!canSend) return
    clearField()
    onSent()
    markdown.preload()
    void conversation.ask(text.trim())
  }
  const submitOnEnter = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    submit()
  }
  return (
    <form
      id={MESSAGE_FORM}
      className={classes.composer}
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <AddedImages conversation={conversation} images={images} />
      <div className={classes.field}>
        <GrowingField
          ref={field}
          label={t("chat.field")}
          placeholder={t("chat.placeholder")}
          value={text}
          onChange={setText}
          onKeyDown={submitOnEnter}
          onPaste={addPasted(images)}
          autoFocus={matchMedia("(hover: hover)").matches}
        />
      </div>
      <div className={classes.row}>
        <DocumentsButton conversation={conversation} />
        <ModelPicker conversation={conversation} />
        <span className={classes.space} />
        {images.isPossible && <ImageButton onFiles={(files) => void images.add(files)} />}
        <VoiceButton text={text} onText={setText} />
        <SendButton
          isWriting={isWriting}
          canSend={canSend}
          onStop={() => {
            void conversation.stop()
            field.current?.focus()
          }}
        />
      </div>
    </form>
  )
}

/** Adds the images in pasted content. */
const addPasted = (images: AddingImages) => (event: ClipboardEvent<HTMLTextAreaElement>) => {
  const pasted = [...event.clipboardData.files].filter(isImage)
  if (pasted.length === 0) return
  event.preventDefault()
  void images.add(pasted)
}

interface SendButtonProps {
  readonly isWriting: boolean
  readonly canSend: boolean
  readonly onStop: () => void
}

/** The button that sends the question, or stops the running reply. */
const SendButton = ({ isWriting, canSend, onStop }: SendButtonProps) => {
  const { t } = useMessages()
  const [label, icon] = isWriting ? ([t("chat.stop"), "stop"] as const) : ([t("chat.send"), "arrowUp"] as const)
  return (
    <ActionIcon
      type={isWriting ? "button" : "submit"}
      size={36}
      radius="xl"
      aria-label={label}
      title={label}
      disabled={!isWriting && !canSend}
      {...(isWriting && { onClick: onStop })}
    >
      <Icon name={icon} />
    </ActionIcon>
  )
}

/** The text of the field. It is kept through a reload and an ended session until a reply to it has begun. */
const useDraft = (conversation: Conversation) => {
  const { data: me } = useQuery(meQuery)
  const { chatId, start } = useFacts(conversation)
  const userId = me?.userId ?? ""
  const [text, setField] = useState(() => drafts.read(userId, chatId))
  useEffect(() => {
    if (start === undefined) return
    for (const sentFrom of [chatId, undefined]) drafts.keep(userId, sentFrom, "")
  }, [userId, chatId, start])
  const setText = (next: string) => {
    setField(next)
    drafts.keep(userId, chatId, next)
  }
  return { text, setText, clearField: () => setField("") }
}

/** Puts a given text into the field, with the cursor behind it. */
const useGiven = (
  given: string | undefined,
  setText: (text: string) => void,
  field: { readonly current: HTMLTextAreaElement | null }
): void => {
  const taken = useRef<string>(undefined)
  useEffect(() => {
    if (given === taken.current) return
    taken.current = given
    if (given === undefined) return
    setText(given)
    field.current?.focus()
  })
}

/** Stops the reply if Escape is pressed, wherever the focus is. */
const useEscape = (isActive: boolean, onEscape: () => void): void => {
  useEffect(() => {
    if (!isActive) return
    const stopOnEscape = (event: globalThis.KeyboardEvent) => {
      if (event.key === "Escape" && !event.defaultPrevented) onEscape()
    }
    addEventListener("keydown", stopOnEscape)
    return () => removeEventListener("keydown", stopOnEscape)
  })
}
