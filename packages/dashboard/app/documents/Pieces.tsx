import type { Paragraph } from "./textParts.ts"

/** The characters of a paragraph, with highlights. */
export const Pieces = ({ paragraph }: { readonly paragraph: Paragraph }) =>
  paragraph.map(({ text, kinds }, index) => {
    const key = index
    if (kinds.has("quote")) return <mark key={key}>{text}</mark>
    return (
      <span key={key} data-passage={kinds.has("passage") ? "" : undefined}>
        {text}
      </span>
    )
  })
