import type { Rating } from "../api/Transcript.ts"
import type { Message } from "../conversation/Message.ts"
import { element } from "../element.ts"
import { icon } from "../icon.ts"
import { MarkdownView } from "../markdown/MarkdownView.ts"
import type { Catalogue } from "../languages/Catalogue.ts"
import type { Announcer } from "./Announcer.ts"
import { SourceList } from "./SourceList.ts"

export interface MessageSurroundings {
  readonly texts: Catalogue
  readonly botName: string
  /** True if visitors may see the sources of citations. */
  readonly showsSources: boolean
  readonly announcer: Announcer
  readonly onLink: (address: URL) => void
  readonly onRate: (message: Message, rating: Rating) => void
}

/** A message on the page. */
export interface MessageView {
  readonly element: HTMLElement
  /** Updates the page after the message has changed. */
  update(): void
}

/** Shows a visitor's message as plain text, never as markdown. */
export const visitorMessageView = (message: Message, { texts }: MessageSurroundings): MessageView => {
  const bubble = element("div", { class: "bubble", dir: "auto" }, message.text)
  const view = element("div", { class: "message visitor" }, element("p", { class: "unseen" }, texts.say("you")), bubble)
  const update = () => view.classList.toggle("unsent", message.state === "unsent")
  update()
  return { element: view, update }
}

/** Names the author for screen readers, because their users do not see on which side a message is. */
const speaker = (name: string) => element("p", { class: "unseen" }, name)

/** Shows a reply: its words as they arrive, and its sources. */
export const botMessageView = (message: Message, surroundings: MessageSurroundings): MessageView => {
  const { announcer, botName, onLink, texts } = surroundings
  const showsSources = surroundings.showsSources && message.author === undefined
  const wasThere = message.isNew !== true && (message.state === "complete" || message.state === "partial")
  const name = message.author === undefined ? botName : message.author || texts.say("aPerson")
  const dots = element("div", { class: "dots" }, ...[0, 1, 2].map(() => element("i")))
  const bubble = element("div", { class: "bubble" }, dots)
  const note = element("p", { class: "note", hidden: true })
  const isPerson = message.author !== undefined
  const ratings = ratingButtons(message, surroundings)
  const author = isPerson && element("p", { class: "author" }, name)
  const body = element("div", { class: "body" }, author, bubble, note, ratings.element)
  const view = element("div", { class: "message bot" }, !isPerson && speaker(name), avatar(name), body)
  if (isPerson) view.classList.add("by-person")
  let list: SourceList | undefined
  let announced = 0
  const citation = (number: number): Node | undefined => {
    if (!showsSources) return undefined
    if (!message.sources.some((source) => source.number === number)) {
      return element("sup", { class: "citation" }, String(number))
    }
    const label = texts.say("source", { number })
    const click = () => list?.show(number)
    return element("button", { type: "button", class: "citation", "aria-label": label, click }, String(number))
  }
  const imageLabel = (text: string) => texts.say("image", { text })
  const words = new MarkdownView(element("div"), { onLink, citation, imageLabel })

  const announce = (finished: number) => {
    const blocks = [...words.element.children].slice(announced, finished)
    // `innerText` follows the layout, so that spaces separate the cells of a table.
    const by = isPerson && announced === 0 ? `${name}: ` : ""
    for (const [place, block] of blocks.entries())
      announcer.say((place === 0 ? by : "") + (block as HTMLElement).innerText)
    announced = Math.max(announced, finished)
  }
  const update = () => {
    const isWriting = message.state === "writing"
    view.classList.toggle("writing", isWriting)
    if (message.text !== "") {
      if (words.element.parentNode === null) bubble.replaceChildren(words.element)
      const finished = words.show(message.text, !isWriting)
      if (!wasThere) announce(finished)
    }
    if (message.state === "stopped" || message.state === "broken" || message.state === "partial") {
      note.textContent = texts.say(message.state)
      note.hidden = false
    }
    ratings.update()
    if (list === undefined && showsSources && message.sources.length > 0) {
      list = new SourceList(citedOf(message), texts)
      body.insertBefore(list.element, ratings.element)
      words.redraw()
    }
  }
  update()
  return { element: view, update }
}

/** The buttons with which a visitor rates a reply, once it can be rated. */
const ratingButtons = (message: Message, { onRate, texts }: MessageSurroundings) => {
  const buttonOf = (rating: Rating) => {
    const label = texts.say(rating === "good" ? "rateGood" : "rateBad")
    const click = () => onRate(message, rating)
    return element("button", { type: "button", "aria-label": label, title: label, click }, icon(rating))
  }
  const buttons = { good: buttonOf("good"), bad: buttonOf("bad") }
  const view = element("div", { class: "ratings", hidden: true }, buttons.good, buttons.bad)
  const update = () => {
    view.hidden = message.storedId === undefined
    for (const rating of ["good", "bad"] as const) {
      buttons[rating].setAttribute("aria-pressed", String(message.rating === rating))
    }
  }
  return { element: view, update }
}

/** The sources that the reply cites, or all sources if it cites none by number. */
const citedOf = ({ sources, text }: Message): Message["sources"] => {
  const numbers = new Set(
    [...text.matchAll(/\[([\d\s,;]{1,40})\]/g)].flatMap(([, all = ""]) => all.split(/\D+/).map(Number))
  )
  return sources.filter(({ number }) => numbers.has(number))
}

const avatar = (name: string): HTMLElement =>
  element("div", { class: "avatar", "aria-hidden": "true" }, initialOf(name))

/** The first letter of a name, as one whole character for people. */
export const initialOf = (name: string): string => {
  const [first] = new Intl.Segmenter().segment(name.trim())
  return first?.segment.toUpperCase() ?? ""
}
