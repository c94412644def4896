import { useComputedColorScheme } from "@mantine/core"
import { useEffect, useRef, useState } from "react"
import { useMessages } from "../../messages/MessagesProvider.tsx"
import classes from "../Markdown.module.css"

export interface DiagramProps {
  readonly text: string
  readonly onFailed: () => void
}

/** The first height of the frame, and the highest one, in pixels. */
const FIRST = 240
const MOST = 2_000

/**
 * A diagram in Mermaid's language, drawn in a frame. The frame's document has no origin, session or network access, so
 * that a flaw in the drawing script can reach nothing.
 */
export const Diagram = ({ text, onFailed }: DiagramProps) => {
  const { t } = useMessages()
  const frame = useRef<HTMLIFrameElement>(null)
  const isDark = useComputedColorScheme("light") === "dark"
  const [isReady, setReady] = useState(false)
  const [height, setHeight] = useState(FIRST)
  useEffect(() => {
    const hear = ({ data, source }: MessageEvent<unknown>) => {
      if (source !== frame.current?.contentWindow || typeof data !== "object" || data === null) return
      if ("ready" in data) setReady(true)
      if ("failed" in data) onFailed()
      if ("height" in data && typeof data.height === "number") setHeight(Math.min(MOST, Math.max(1, data.height)))
    }
    addEventListener("message", hear)
    return () => removeEventListener("message", hear)
  }, [onFailed])
  useEffect(() => {
    // A document without an origin can only be addressed by `*`.
    if (isReady) frame.current?.contentWindow?.postMessage({ text, isDark }, "*")
  }, [isReady, text, isDark])
  return (
    <iframe
      ref={frame}
      className={classes.diagram}
      title={t("chat.diagram")}
      src="/diagram/frame.html"
      sandbox="allow-scripts"
      height={height}
    />
  )
}
