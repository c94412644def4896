import { useEffect, useRef } from "react"
import { mount } from "./host/mount.ts"
import type { ParleyWidget as Widget, WidgetEvents, WidgetOptions } from "./host/ParleyWidget.ts"

/** The bot to show while the component is on the page, and the listeners of its events. */
export interface ParleyWidgetProps extends WidgetOptions {
  readonly onReady?: ((detail: WidgetEvents["ready"]) => void) | undefined
  readonly onOpen?: ((detail: WidgetEvents["open"]) => void) | undefined
  readonly onClose?: ((detail: WidgetEvents["close"]) => void) | undefined
  readonly onMessage?: ((detail: WidgetEvents["message"]) => void) | undefined
  readonly onReply?: ((detail: WidgetEvents["reply"]) => void) | undefined
  readonly onLimit?: ((detail: WidgetEvents["limit"]) => void) | undefined
  readonly onError?: ((detail: WidgetEvents["error"]) => void) | undefined
  /** Receives the widget, with which the page opens and closes the chat; set to undefined when it is removed. */
  readonly widgetRef?: { current: Widget | null } | undefined
}

/**
 * Puts a bot on the page. It renders nothing, because the launcher is in the corner of the window. If the bot, the
 * server or the language changes, it creates a new widget; texts, theme and listeners change without that.
 */
export const ParleyWidget = (props: ParleyWidgetProps): null => {
  const { baseUrl, lang, launcher, position, publicKey, texts, theme, widgetRef } = props
  const latest = useRef(props)
  const widget = useRef<Widget | null>(null)
  const wording = JSON.stringify(texts ?? {})

  useEffect(() => {
    latest.current = props
  })
  useEffect(() => {
    const { texts: first, theme: firstTheme } = latest.current
    const mounted = mount({ baseUrl, lang, launcher, position, publicKey, texts: first, theme: firstTheme })
    mounted.on("ready", (detail) => latest.current.onReady?.(detail))
    mounted.on("open", (detail) => latest.current.onOpen?.(detail))
    mounted.on("close", (detail) => latest.current.onClose?.(detail))
    mounted.on("message", (detail) => latest.current.onMessage?.(detail))
    mounted.on("reply", (detail) => latest.current.onReply?.(detail))
    mounted.on("limit", (detail) => latest.current.onLimit?.(detail))
    mounted.on("error", (detail) => latest.current.onError?.(detail))
    widget.current = mounted
    if (widgetRef !== undefined) widgetRef.current = mounted
    return () => {
      mounted.remove()
      widget.current = null
      if (widgetRef !== undefined) widgetRef.current = null
    }
  }, [baseUrl, lang, launcher, position, publicKey, widgetRef])
  useEffect(() => widget.current?.setTheme(theme ?? "auto"), [theme])
  useEffect(() => widget.current?.setTexts(JSON.parse(wording) as Record<string, string>), [wording])
  return null
}
