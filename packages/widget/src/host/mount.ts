import { createLauncher } from "./Launcher.ts"
import { type FrameMessage, type HostState, PROTOCOL } from "./messages.ts"
import { createPanel } from "./Panel.ts"
import type { ParleyWidget, WidgetEvent, WidgetEvents, WidgetOptions } from "./ParleyWidget.ts"
import { takePlace } from "./places.ts"
import { STYLES } from "./styles.ts"
import { whenIdle } from "./whenIdle.ts"

/** The widgets of this page, oldest first. */
export const widgets = new Set<ParleyWidget>()

/** Time in milliseconds that a frame has to report that it runs. Then it is loaded again, and the time is doubled. */
const PATIENCE_MS = 10_000

/**
 * Puts a bot on the page when the page is idle: first a frame of the server's origin, then a launcher once the frame
 * has reported that the bot exists. Throws a TypeError if the base URL is invalid or the public key is missing.
 */
export const mount = (options: WidgetOptions): ParleyWidget => {
  const { baseUrl, publicKey } = options
  if (!publicKey) throw new TypeError("Parley: no public key")
  const path = `widget/${encodeURIComponent(publicKey)}?lang=${options.lang ?? ""},${document.documentElement.lang}`
  const { href, origin } = new URL(path, baseUrl.replace(/\/*$/, "/"))
  const removal = new AbortController()
  const { signal } = removal
  const events = new EventTarget()
  const host = document.createElement("div")
  const root = host.attachShadow({ mode: "open" })
  const launcher = createLauncher(() => widget.toggle())
  const panel = createPanel(() => widget.close(), signal)
  let { texts = {}, theme = "auto" } = options
  let ready: WidgetEvents["ready"] | undefined
  let opener: HTMLElement | null = null
  let isWanted = false
  let isOpen = false
  let timer: ReturnType<typeof setTimeout> | undefined

  const emit = (event: WidgetEvent, more?: object): void => {
    events.dispatchEvent(new CustomEvent(event, { detail: { publicKey, ...more } }))
  }

  /** Sends the state to the frame. The browser delivers it only while the frame shows a page of the server's origin. */
  const tell = () => {
    const state: HostState = { theme, texts, isOpen, page: location.href }
    panel.frame.contentWindow?.postMessage({ parley: PROTOCOL, ...state }, origin)
  }

  /** Loads the frame, and loads it again if it does not respond. */
  const loadFrame = (patienceMs: number): void => {
    panel.frame.src = href
    timer = setTimeout(() => loadFrame(patienceMs * 2), patienceMs)
  }

  const load = (): void => {
    if (host.parentNode || signal.aborted) return
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(STYLES)
    root.adoptedStyleSheets = [sheet]
    // `all:initial` shields the element from the page's own styles.
    host.style.cssText = "all:initial;position:fixed;z-index:2147483000;--left:auto;--right:auto"
    root.append(panel.element)
    addEventListener("message", hear, { signal })
    document.body.append(host)
    loadFrame(PATIENCE_MS)
  }

  /** Sets a CSS custom property, which cannot change any other property. */
  const setStyle = (name: string, value: string) => host.style.setProperty(`--${name}`, value)

  const appear = (message: Extract<FrameMessage, { readonly type: "ready" }>): void => {
    const { displayName, frameTitle, lang, look, position, primaryColor } = message
    host.lang = lang
    for (const [name, value] of Object.entries(look)) setStyle(name, value)
    panel.element.ariaLabel = panel.frame.title = frameTitle
    launcher.label(message)
    if (ready) return
    if (options.launcher !== false) root.append(launcher.element)
    const side = options.position ?? position ?? (document.dir === "rtl" ? "left" : "right")
    setStyle(side, `${takePlace(side, launcher.element.offsetWidth, signal)}px`)
    ready = { publicKey, displayName, primaryColor }
    emit("ready", ready)
    if (isWanted) widget.open()
  }

  /** Handles messages, only from the frame and only while it shows a page of the server's origin. */
  const hear = ({ data, origin: from, source }: MessageEvent): void => {
    if (!source || source !== panel.frame.contentWindow || from !== origin || data?.parley !== PROTOCOL) return
    const message = data as FrameMessage
    if (message.type === "hello") {
      clearTimeout(timer)
      tell()
    } else if (message.type === "ready") appear(message)
    else if (message.type === "absent") widget.remove()
    else if (message.type === "close") widget.close()
    else {
      if (message.type === "reply" && !isOpen) launcher.mark("unread")
      emit(message.type, { retryAfterSeconds: message.retryAfterSeconds })
    }
  }

  const widget: ParleyWidget = {
    publicKey,
    get isOpen() {
      return isOpen
    },
    open: () => {
      isWanted = true
      load()
      if (!ready || isOpen || signal.aborted) return
      for (const other of widgets) other.close()
      opener = (root.activeElement ?? document.activeElement) as HTMLElement | null
      isOpen = true
      launcher.mark("open")
      panel.show(true)
      tell()
      emit("open")
    },
    close: () => {
      isWanted = false
      if (!isOpen) return
      const hadFocus = document.activeElement === host
      isOpen = false
      panel.show(false)
      launcher.mark("")
      if (hadFocus) {
        launcher.element.focus()
        // `focus` has no effect if the element cannot have the focus, for example because it was removed.
        opener?.focus()
      }
      tell()
      emit("close")
    },
    toggle: () => (isOpen ? widget.close() : widget.open()),
    on: (event, listener) => {
      const hear = (heard: Event) => listener((heard as CustomEvent).detail)
      events.addEventListener(event, hear)
      if (event === "ready" && ready) listener(ready as never)
      return () => events.removeEventListener(event, hear)
    },
    setTexts: (more) => {
      texts = { ...texts, ...more }
      tell()
    },
    setTheme: (next) => {
      theme = next
      tell()
    },
    remove: () => {
      clearTimeout(timer)
      widget.close()
      removal.abort()
      host.remove()
      widgets.delete(widget)
    }
  }
  widgets.add(widget)
  whenIdle(load, signal)
  return widget
}
