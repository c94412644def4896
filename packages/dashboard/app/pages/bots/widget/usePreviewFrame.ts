import { type RefObject, useEffect, useRef, useState } from "react"

/** The version of the messages between a page and the frame of a bot (`@parley/widget`). */
const PROTOCOL = 1

/** The look of the launcher, as the frame reports it. */
export interface ShownLauncher {
  readonly look: { readonly fill: string; readonly ink: string; readonly radius: string; readonly font: string }
  readonly position?: "left" | "right" | undefined
  readonly launcherText?: string | undefined
  readonly launcherLabel: string
}

interface PreviewFrame {
  readonly frame: RefObject<HTMLIFrameElement | null>
  /** The look of the launcher; undefined until the frame has drawn the bot. */
  readonly launcher: ShownLauncher | undefined
}

/**
 * Keeps the frame at `origin` drawing the bot's settings. `onClose` is called if the close button in the frame is
 * pressed.
 */
export const usePreviewFrame = (origin: string, bot: object, onClose: () => void): PreviewFrame => {
  const frame = useRef<HTMLIFrameElement>(null)
  const [launcher, setLauncher] = useState<ShownLauncher>()
  // Each key press makes a new draft object, but the listener is registered only once, so it reads the newest values
  // here.
  const latest = useRef({ text: "", onClose })
  const text = JSON.stringify(bot)
  useEffect(() => {
    latest.current = { text, onClose }
  })
  useEffect(() => {
    const hear = ({ data, origin: from, source }: MessageEvent) => {
      if (source === null || source !== frame.current?.contentWindow || from !== origin) return
      if (data?.parley !== PROTOCOL) return
      if (data.type === "hello") send(frame.current, origin, latest.current.text)
      if (data.type === "ready") setLauncher(data as ShownLauncher)
      if (data.type === "close") latest.current.onClose()
    }
    addEventListener("message", hear)
    return () => removeEventListener("message", hear)
  }, [origin])
  const isDrawn = launcher !== undefined
  useEffect(() => {
    if (isDrawn && frame.current !== null) send(frame.current, origin, text)
  }, [isDrawn, origin, text])
  return { frame, launcher }
}

/** The frame gets the chat as closed, so that it never takes the focus from the form. */
const send = (frame: HTMLIFrameElement, origin: string, bot: string) =>
  frame.contentWindow?.postMessage(
    { parley: PROTOCOL, isOpen: false, theme: "auto", texts: {}, bot: JSON.parse(bot) as object },
    origin
  )
