import type { WidgetOptions } from "../../src/host/ParleyWidget.ts"
import { createParley, type Parley } from "./createParley.ts"

/** The function `Parley` that a page defines before this script has loaded. It collects the calls. */
interface ParleyQueue {
  readonly q?: ReadonlyArray<ArrayLike<unknown>>
}

declare global {
  interface Window {
    Parley?: Parley | ParleyQueue
  }
}

/** The options in the data attributes of a script element; `data-text-limit-over` replaces the text `limitOver`. */
const optionsOf = ({ dataset, src }: HTMLScriptElement): WidgetOptions => {
  const texts: Record<string, string> = {}
  for (const [name, value] of Object.entries(dataset)) {
    if (/^text[A-Z]/.test(name)) texts[name[4]!.toLowerCase() + name.slice(5)] = value!
  }
  // The attributes `public-key`, `lang`, `position` and `theme` are options under their own names.
  const named = dataset as object as Pick<WidgetOptions, "publicKey" | "lang" | "position" | "theme">
  return { ...named, baseUrl: new URL(".", src).href, launcher: dataset["launcher"] !== "none", texts }
}

/** The page's `Parley`, which the first script of the widget on the page creates. */
const sharedParley = (): Parley => {
  const before = window.Parley
  if (before && "mount" in before) return before
  const parley = createParley(() => {
    if (window.Parley === parley) delete window.Parley
  })
  window.Parley = parley
  // The collected calls run after this script has mounted its bot, because they may concern that bot.
  queueMicrotask(() => {
    for (const call of before?.q ?? []) parley(...(Array.from(call) as [string]))
  })
  return parley
}

const script = document.currentScript as HTMLScriptElement | null
const parley = sharedParley()
if (script?.dataset["publicKey"]) parley.mount(optionsOf(script))
