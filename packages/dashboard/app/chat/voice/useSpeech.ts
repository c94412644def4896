import { useCallback, useEffect, useRef, useState } from "react"

/** The part of the browser's speech recognition (Web Speech API) that this application uses. */
interface Recognition extends EventTarget {
  continuous: boolean
  interimResults: boolean
  lang: string
  start(): void
  stop(): void
  abort(): void
}

interface RecognitionEvent extends Event {
  readonly results: ArrayLike<ArrayLike<{ readonly transcript: string }>>
}

type RecognitionClass = new () => Recognition

const found = (): RecognitionClass | undefined => {
  const names = globalThis as { SpeechRecognition?: RecognitionClass; webkitSpeechRecognition?: RecognitionClass }
  return names.SpeechRecognition ?? names.webkitSpeechRecognition
}

const wordsOf = ({ results }: RecognitionEvent): string =>
  Array.from(results, (result) => result[0]?.transcript ?? "").join("")

export interface Speech {
  /** True if the browser can recognise speech. */
  readonly isPossible: boolean
  readonly isListening: boolean
  /** True if the person or the browser refused the microphone, or if nothing can be heard. */
  readonly isRefused: boolean
  readonly toggle: () => void
  /** Stops listening, and drops the words that were not reported yet. */
  readonly abort: () => void
}

/** Recognises speech. `onWords` is called repeatedly, each time with all words since listening began. */
export const useSpeech = (onBegin: () => void, onWords: (words: string) => void): Speech => {
  const [isListening, setListening] = useState(false)
  const [isRefused, setRefused] = useState(false)
  const running = useRef<Recognition>(undefined)
  const hear = useRef(onWords)
  useEffect(() => {
    hear.current = onWords
  })
  useEffect(() => () => running.current?.abort(), [])
  const toggle = () => {
    const Found = found()
    if (running.current !== undefined) return running.current.stop()
    if (Found === undefined) return
    const recognition = (running.current = new Found())
    recognition.continuous = true
    recognition.interimResults = true
    recognition.lang = document.documentElement.lang
    recognition.addEventListener("result", (event) => hear.current(wordsOf(event as RecognitionEvent)))
    recognition.addEventListener("error", (event) => {
      const { error } = event as Event & { readonly error?: string }
      setRefused(error !== "no-speech" && error !== "aborted")
    })
    recognition.addEventListener("end", () => {
      running.current = undefined
      setListening(false)
    })
    onBegin()
    setRefused(false)
    setListening(true)
    recognition.start()
  }
  const abort = useCallback(() => running.current?.abort(), [])
  return { isPossible: found() !== undefined, isListening, isRefused, toggle, abort }
}
