import { createElement } from "react"
import { renderToStaticMarkup } from "react-dom/server"
import { describe, expect, it } from "vitest"
import { Markdown } from "../../app/markdown/Markdown.tsx"
import { english } from "../../app/messages/catalogue.ts"
import { MessagesProvider } from "../../app/messages/MessagesProvider.tsx"
import { hostileReplies } from "../../../../test/support/hostileReplies.ts"

const drawn = (text: string, isGrowing: boolean): string =>
  renderToStaticMarkup(
    createElement(MessagesProvider, {
      initial: { language: "en", catalogue: english },
      children: createElement(Markdown, { text, isGrowing })
    })
  )

const ELEMENTS = new Set(
  (
    "div p h3 h4 h5 h6 ul ol li blockquote hr table thead tbody tr th td pre code strong em del br a span button " +
    "input svg path sup"
  ).split(" ")
)
const ATTRIBUTES = new Set(
  (
    "class data-markdown data-depth data-task data-align scope role tabindex type aria-label aria-live aria-hidden " +
    "checked disabled readonly start title href target rel width height viewbox fill stroke stroke-width stroke-linecap " +
    "stroke-linejoin focusable d"
  ).split(" ")
)

const TAG = /<\/?([a-zA-Z][\w-]*)((?:\s+[\w:-]+(?:="[^"]*")?)*)\s*\/?>/g
const ATTRIBUTE = /([\w:-]+)(?:="([^"]*)")?/g

/** Elements that the renderer must not create. */
const foreignIn = (html: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  for (const [, element = "", attributes = ""] of html.matchAll(TAG)) {
    if (!ELEMENTS.has(element)) found.push(`<${element}>`)
    for (const [, name = "", value = ""] of attributes.matchAll(ATTRIBUTE)) {
      // Only marks of notes have an id, which no text chooses as a whole.
      if (name === "id" && element === "button" && /^(?:note|mark)-/.test(value)) continue
      if (!ATTRIBUTES.has(name.toLowerCase())) found.push(`${element} ${name}`)
      if (name === "href" && !/^(?:https?:\/\/|mailto:)/.test(value)) found.push(`href ${value}`)
    }
  }
  if (/</.test(html.replace(TAG, ""))) found.push("a tag that was not closed")
  return found
}

/**
 * Renders each hostile reply whole, and cut at this many positions, spread over it, or at every position of a shorter
 * one.
 */
export const makesNothingForeign = (cutsMax: number): void => {
  describe("each of the hostile and odd replies", () => {
    it(`makes no element, attribute or link that was not meant, cut at ${cutsMax} positions`, () => {
      for (const reply of hostileReplies) {
        expect([reply, foreignIn(drawn(reply, false))]).toEqual([reply, []])
        const step = Math.max(1, Math.ceil(reply.length / cutsMax))
        for (let length = 0; length <= reply.length; length += step) {
          const cut = reply.slice(0, length)
          const foreign = foreignIn(drawn(cut, true))
          if (foreign.length > 0) expect([cut, foreign]).toEqual([cut, []])
        }
      }
    })
  })
}
