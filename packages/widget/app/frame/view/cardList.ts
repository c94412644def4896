import type { Card } from "../api/BotConfig.ts"
import { element } from "../element.ts"
import { icon } from "../icon.ts"

/** The cards of an empty conversation. The bot's owner chose their links, so they open without asking the visitor. */
export const cardList = (cards: ReadonlyArray<Card>, onAsk: (question: string) => void): HTMLElement =>
  element("ul", { class: "cards" }, ...cards.map((card) => element("li", {}, cardView(card, onAsk))))

const cardView = ({ leadsTo, text, title }: Card, onAsk: (question: string) => void): HTMLElement => {
  const words = element(
    "span",
    {},
    element("strong", { dir: "auto" }, title),
    text !== "" && element("span", { dir: "auto" }, text)
  )
  if ("question" in leadsTo) {
    return element("button", { type: "button", click: () => onAsk(leadsTo.question) }, words)
  }
  const { href } = leadsTo.link
  return element("a", { href, target: "_blank", rel: "noopener noreferrer" }, words, icon("leave"))
}
