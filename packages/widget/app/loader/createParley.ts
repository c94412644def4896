import type { Texts, Theme } from "../../src/host/messages.ts"
import { mount, widgets } from "../../src/host/mount.ts"
import type { ParleyWidget, WidgetEvent, WidgetOptions } from "../../src/host/ParleyWidget.ts"

type Listener = (detail: unknown) => void

/**
 * The interface for scripts of the embedding page: `Parley.open()`, or `Parley("open")`, which also works before this
 * script has loaded.
 */
export interface Parley {
  (name: string, ...values: ReadonlyArray<unknown>): unknown
  mount(options: WidgetOptions): ParleyWidget
}

const chosen = (key?: string): ReadonlyArray<ParleyWidget> =>
  [...widgets].filter(({ publicKey }) => !key || key === publicKey)

/**
 * Creates the embedding page's `Parley` for all bots on it. A method that is called with a public key applies to that
 * bot only.
 */
export const createParley = (onRemoved: () => void): Parley => {
  const listeners = new Set<(widget: ParleyWidget) => void>()
  let texts: Texts = {}
  const methods = {
    mount: (options: WidgetOptions): ParleyWidget => {
      const widget = mount({ ...options, texts: { ...texts, ...options.texts } })
      for (const listen of listeners) listen(widget)
      return widget
    },
    open: (key?: string) => chosen(key)[0]?.open(),
    close: (key?: string) => chosen(key).forEach((widget) => widget.close()),
    toggle: (key?: string) => (chosen(key).find(({ isOpen }) => isOpen) ?? chosen(key)[0])?.toggle(),
    on: (event: WidgetEvent, listener: Listener) => {
      const ends: Array<() => void> = []
      const listen = (widget: ParleyWidget) => void ends.push(widget.on(event, listener))
      listeners.add(listen)
      chosen().forEach(listen)
      return () => {
        listeners.delete(listen)
        for (const end of ends) end()
      }
    },
    texts: (more: Texts) => {
      texts = { ...texts, ...more }
      chosen().forEach((widget) => widget.setTexts(more))
    },
    theme: (theme: Theme) => chosen().forEach((widget) => widget.setTheme(theme)),
    remove: (key?: string) => {
      chosen(key).forEach((widget) => widget.remove())
      if (widgets.size) return
      listeners.clear()
      onRemoved()
    }
  }
  const call = (name: string, ...values: ReadonlyArray<unknown>): unknown =>
    (methods as unknown as Record<string, (...all: ReadonlyArray<unknown>) => unknown>)[name]?.(...values)
  return Object.assign(call, methods)
}
