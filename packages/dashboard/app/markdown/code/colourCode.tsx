import { common, createLowlight } from "lowlight"
import { Fragment, type ReactNode } from "react"

const lowlight = createLowlight(common)

/** The longest code that is coloured: parsing longer code would take too long. */
const MOST_CHARACTERS = 50_000

type Nodes = ReturnType<typeof lowlight.highlight>["children"]

/** Returns code in the colours of its language; undefined if the language is unknown or the code is too long. */
export const colourCode = (language: string, text: string): ReactNode | undefined =>
  lowlight.registered(language) && text.length <= MOST_CHARACTERS
    ? drawn(lowlight.highlight(language, text).children)
    : undefined

const drawn = (nodes: Nodes): ReactNode =>
  nodes.map((node, index) => {
    if (node.type === "text") return <Fragment key={index}>{node.value}</Fragment>
    if (node.type !== "element") return null
    const names = node.properties["className"]
    return (
      <span key={index} className={Array.isArray(names) ? names.join(" ") : undefined}>
        {drawn(node.children as Nodes)}
      </span>
    )
  })
