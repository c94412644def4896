/** The parts of mammoth's document model that carry text. */
export interface DocxElement {
  readonly type: string
  readonly value?: string
  readonly children?: ReadonlyArray<DocxElement>
}

interface NoteReference extends DocxElement {
  readonly noteType: string
  readonly noteId: string
}

export interface DocxDocument extends DocxElement {
  readonly notes: { resolve(reference: NoteReference): { readonly body: ReadonlyArray<DocxElement> } | null }
}

/** The text of a Word document, its footnotes and endnotes after the body in the order they are referred to. */
export const docxText = (document: DocxDocument): string => {
  const references: Array<NoteReference> = []
  const body = blocks(document, references)
  // A note may refer to no further note, so that this list does not grow while it is read.
  const notes = references.flatMap((reference) => document.notes.resolve(reference)?.body ?? [])
  return body + notes.map((element) => render(element, [])).join("")
}

const blocks = (element: DocxElement, references: Array<NoteReference>): string =>
  (element.children ?? []).map((child) => render(child, references)).join("")

const render = (element: DocxElement, references: Array<NoteReference>): string => {
  switch (element.type) {
    case "text":
      return element.value ?? ""
    case "tab":
      return "\t"
    case "break":
      return "\n"
    case "paragraph":
      return `${blocks(element, references)}\n\n`
    case "table":
      return `${blocks(element, references)}\n`
    case "tableRow":
      return `${(element.children ?? []).map((cell) => oneLine(blocks(cell, references))).join("\t")}\n`
    case "noteReference":
      references.push(element as NoteReference)
      return ""
    default:
      return blocks(element, references)
  }
}

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim()
