import type { WidgetOptions } from "../../src/host/ParleyWidget.ts"
import { createParley, type Parley } from "./createParley.ts"

/** The page's replacement for `Parley` until this script has loaded: it queues the calls. */
interface ParleyQueue {
  readonly q?: ReadonlyArray<ArrayLike<unknown>>
}

declare global {
  interface Window {
    Parley?: Parley | ParleyQueue
  }
}

/** The options that a script tag states as data attributes; `data-text-limit-over` replaces the text `limitOver`. */
const optionsOf = ({ dataset, src }: HTMLScriptElement): WidgetOptions => {
  const texts: Record<string, string> = {}
  for (const [name, value] of Object.entries(dataset)) {
    if (/^text[A-Z]/.test(name)) texts[name[4]!.toLowerCase() + name.slice(5)] = value!
  }
  // The attributes `public-key`, `lang`, `position` and `theme` are options under their own names.
  const named = dataset as object as Pick<WidgetOptions, "publicKey" | "lang" | "position" | "theme">
  return { ...named, baseUrl: new URL(".", src).href, launcher: dataset["launcher"] !== "none", texts }
}

/** The page's `Parley`, made by the first of its scripts. */
const sharedParley = (): Parley => {
  const before = window.Parley
  if (before && "mount" in before) return before
  const parley = createParley(() => {
    if (window.Parley === parley) delete window.Parley
  })
  window.Parley = parley
  // After the page's own bot is there, which the calls may mean.
  queueMicrotask(() => {
    for (const call of before?.q ?? []) parley(...(Array.from(call) as [string]))
  })
  return parley
}

const script = document.currentScript as HTMLScriptElement | null
const parley = sharedParley()
if (script?.dataset["publicKey"]) parley.mount(optionsOf(script))
