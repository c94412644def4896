import { boundedParser } from "../boundedParser.ts"
import { withoutMarks } from "../headingMarks.ts"
import { EquationReader } from "./EquationReader.ts"
import { attributesOf, localName } from "./readXml.ts"

const WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
/**
 * The beginning of a style id that stands for the outline level of a single paragraph; no style of a document begins
 * with it.
 */
const OUTLINE_STYLE = "\ufdd6"
/** The deepest outline level; deeper levels are plain text (ECMA-376 part 1, 17.3.1.20). */
const TEXT_LEVEL = 9

/**
 * Returns the heading level that `withKnownElements` wrote as a style id, counted from 1; 0 for plain text, undefined
 * for any other style id.
 */
export const outlineLevelOf = (styleId: string): number | undefined =>
  styleId.startsWith(OUTLINE_STYLE) ? Number(styleId.slice(OUTLINE_STYLE.length)) : undefined

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")

const runOf = (text: string): string =>
  `<w:r xmlns:w="${WORD}"><w:t xml:space="preserve">${escaped(withoutMarks(text))}</w:t></w:r>`

const styleOf = (level: number): string =>
  `<w:pStyle xmlns:w="${WORD}" w:val="${OUTLINE_STYLE}${level === TEXT_LEVEL ? 0 : level + 1}"/>`

interface Replacement {
  readonly from: number
  readonly to: number
  readonly by: string
}

/** The properties of a paragraph, and the position of its style, or the position where its style would be. */
interface Properties {
  from: number
  to: number
  level: number | undefined
}

/**
 * Changes an entry of a Word document, because mammoth ignores equations and the outline levels of single paragraphs:
 * equations become runs of text, and outline levels become styles.
 */
export const withKnownElements = (xml: string): string => {
  if (!xml.includes("oMath") && !xml.includes("outlineLvl")) return xml
  const replacements: Array<Replacement> = []
  const equation = new EquationReader()
  // Earlier properties, which Word keeps as tracked changes, are nested in the current ones.
  const open: Array<Properties> = []
  let began = 0
  const parser = boundedParser(
    {
      onopentag: (name, attributes) => {
        const local = localName(name)
        const isFirst = !equation.isWithin
        if (equation.open(local, attributesOf(attributes))) {
          if (isFirst) began = parser.startIndex
          return
        }
        const { endIndex, startIndex } = parser
        const { val = "" } = attributesOf(attributes)
        const properties = open.at(-1)
        if (local === "pPr") open.push({ from: endIndex + 1, to: endIndex + 1, level: undefined })
        else if (properties === undefined) return
        else if (local === "pStyle") Object.assign(properties, { from: startIndex, to: endIndex + 1 })
        else if (local === "outlineLvl" && /^[0-9]$/.test(val)) properties.level = Number(val)
      },
      ontext: (text) => equation.text(text),
      onclosetag: (name) => {
        if (equation.isWithin) {
          const text = equation.close()
          if (text !== undefined) replacements.push({ from: began, to: parser.endIndex + 1, by: runOf(text) })
        } else if (localName(name) === "pPr") {
          const { from, level, to } = open.pop() ?? {}
          if (open.length === 0 && level !== undefined) replacements.push({ from: from!, to: to!, by: styleOf(level) })
        }
      }
    },
    { xmlMode: true, decodeEntities: true }
  )
  parser.end(xml)
  return replaced(xml, replacements)
}

const replaced = (text: string, replacements: ReadonlyArray<Replacement>): string => {
  let changed = ""
  let end = 0
  for (const { by, from, to } of replacements) {
    changed += text.slice(end, from) + by
    end = to
  }
  return changed + text.slice(end)
}
