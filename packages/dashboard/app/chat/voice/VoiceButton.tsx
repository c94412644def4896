import { ActionIcon } from "@mantine/core"
import { useEffect, useRef } from "react"
import { useMessages } from "../../messages/MessagesProvider.tsx"
import { Icon } from "../../theme/Icon.tsx"
import { useSpeech } from "./useSpeech.ts"

export interface VoiceButtonProps {
  readonly text: string
  readonly onText: (text: string) => void
}

/** A button that adds spoken words to the text, if the browser can recognise speech. */
export const VoiceButton = ({ onText, text }: VoiceButtonProps) => {
  const { t } = useMessages()
  const before = useRef("")
  const written = useRef("")
  const begin = () => {
    written.current = text
    before.current = text === "" || /\s$/.test(text) ? text : `${text} `
  }
  const { abort, isListening, isPossible, isRefused, toggle } = useSpeech(begin, (words) => {
    written.current = before.current + words.trimStart()
    onText(written.current)
  })
  // If the text was sent or edited by hand, listening stops: further words would restore the old text.
  useEffect(() => {
    if (isListening && text !== written.current) abort()
  }, [abort, isListening, text])
  if (!isPossible) return null
  const label = t(isListening ? "chat.voice.stop" : isRefused ? "chat.voice.refused" : "chat.voice.start")
  return (
    <>
      <ActionIcon
        variant={isListening ? "light" : "subtle"}
        color={isListening ? "red" : "gray"}
        size={36}
        radius="xl"
        aria-label={label}
        aria-pressed={isListening}
        title={label}
        onClick={toggle}
      >
        <Icon name={isListening ? "stop" : "microphone"} />
      </ActionIcon>
      {(isListening || isRefused) && (
        <span className="visually-hidden" role="status">
          {t(isListening ? "chat.voice.listening" : "chat.voice.refused")}
        </span>
      )}
    </>
  )
}
