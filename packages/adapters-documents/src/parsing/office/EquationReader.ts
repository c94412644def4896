/** A piece of an equation as text. If `whole` is true, it can be an operand without brackets. */
interface Piece {
  readonly text: string
  readonly whole: boolean
  /**
   * True if the piece is a structure and not a run of characters: a letter directly beside it would seem to belong to
   * it.
   */
  readonly built: boolean
}

/** A structure of an equation, such as a fraction, with its arguments by element name (ECMA-376 part 1, 22.1.2). */
interface Structure {
  readonly name: string
  readonly properties: Map<string, string>
  readonly arguments: Array<{ readonly name: string; readonly pieces: Array<Piece> }>
}

const plain = (text: string): Piece => ({ text, whole: false, built: false })

const OPERAND = /^(?:[\p{L}\p{M}]{1,40}|[\p{N}.,]{1,40}|.)$/u
const LETTER = /[\p{L}\p{M}\p{N}]/u

const textOf = (pieces: ReadonlyArray<Piece>): string => {
  const texts: Array<string> = []
  let last = ""
  pieces.forEach((piece, place) => {
    const isApart = piece.built || pieces[place - 1]?.built === true
    const touches = LETTER.test(last) && LETTER.test(piece.text.slice(0, 1))
    texts.push(isApart && touches ? ` ${piece.text}` : piece.text)
    last = piece.text.slice(-1) || last
  })
  return texts.join("").trim()
}

const operandOf = (pieces: ReadonlyArray<Piece>): string => {
  const text = textOf(pieces)
  const isWhole = text === "" || OPERAND.test(text) || (pieces.length === 1 && pieces[0]?.whole === true)
  return isWhole ? text : `(${text})`
}

/** The deepest nesting of structures; deeper ones are read as plain text. */
const DEEPEST = 64
/** The outermost elements of an equation: a paragraph of equations, or a single equation within a line. */
const ROOTS: ReadonlySet<string> = new Set(["oMathPara", "oMath"])
const ARGUMENTS: ReadonlySet<string> = new Set(["e", "num", "den", "sub", "sup", "deg", "lim", "fName", "mr"])
const STRUCTURES: ReadonlySet<string> = new Set([
  ...["acc", "bar", "box", "borderBox", "d", "eqArr", "f", "func", "groupChr", "limLow", "limUpp", "m", "nary"],
  ...["phant", "rad", "sPre", "sSub", "sSubSup", "sSup"]
])
const PROPERTIES: ReadonlySet<string> = new Set(["begChr", "endChr", "sepChr", "chr", "type", "degHide", "pos"])
/** The separator that is written before each element of a row of a matrix. */
const NEXT_CELL = plain(", ")
/** The separator between the equations of a paragraph. */
const BETWEEN = plain("; ")

/** True if a property is on; a property without a value is on. */
const isOn = (value: string | undefined): boolean => value !== undefined && !["0", "off", "false"].includes(value)

/** Writes a structure in one line, in the form in which people type it: `a/b`, `x^2`, `√(a+b)`. */
const written = ({ arguments: given, name, properties }: Structure): Piece => {
  const piecesOf = (wanted: string) => given.find((argument) => argument.name === wanted)?.pieces ?? []
  const all = (wanted: string) =>
    given.filter((argument) => argument.name === wanted).map(({ pieces }) => textOf(pieces))
  const operand = (wanted: string) => operandOf(piecesOf(wanted))
  const raised = (sign: string, wanted: string) => (operand(wanted) === "" ? "" : `${sign}${operand(wanted)}`)
  const piece = (text: string, whole = false): Piece => ({ text, whole, built: true })
  const property = (wanted: string, standard: string) => properties.get(wanted) ?? standard
  switch (name) {
    case "f":
      return piece(`${operand("num")}${property("type", "bar") === "noBar" ? " over " : "/"}${operand("den")}`)
    case "sSup":
    case "sSub":
    case "sSubSup":
      return piece(`${operand("e")}${raised("_", "sub")}${raised("^", "sup")}`)
    case "sPre":
      return piece(`${raised("_", "sub")}${raised("^", "sup")}${operand("e")}`)
    case "rad": {
      const degree = isOn(properties.get("degHide")) ? "" : operand("deg")
      return piece(`${degree === "" ? "√" : `root_${degree}`}(${textOf(piecesOf("e"))})`, true)
    }
    case "nary":
      return piece(`${property("chr", "∫")}${raised("_", "sub")}${raised("^", "sup")} ${textOf(piecesOf("e"))}`)
    case "limLow":
      return piece(`${operand("e")}${raised("_", "lim")}`)
    case "limUpp":
      return piece(`${operand("e")}${raised("^", "lim")}`)
    case "func":
      return piece(`${textOf(piecesOf("fName"))}${bracketed(piecesOf("e"))}`, true)
    case "d":
      return piece(
        `${property("begChr", "(")}${all("e").join(property("sepChr", "|"))}${property("endChr", ")")}`,
        true
      )
    case "m":
      return piece(
        `[${all("mr")
          .map((row) => row.slice(1).trim())
          .join("; ")}]`,
        true
      )
    case "eqArr":
      return piece(all("e").join("; "))
    case "bar":
      return piece(`${property("pos", "bot") === "top" ? "overline" : "underline"}(${textOf(piecesOf("e"))})`, true)
    case "acc":
      return piece(`${operand("e")}${property("chr", "\u0302")}`, true)
    default:
      return plain(textOf(piecesOf("e")))
  }
}

const bracketed = (pieces: ReadonlyArray<Piece>): string => {
  const operand = operandOf(pieces)
  return /^[([{|‖⌈⌊]/u.test(operand) ? operand : `(${operand})`
}

/** The part of an equation that is complete when an element ends. */
type Step = "structure" | "text" | "deep" | "none"

/**
 * Reads equations of Office documents (ECMA-376 part 1, 22.1), each as one line of text, from the elements of an
 * archive entry. While `isWithin` is true, all elements belong to the current equation.
 */
export class EquationReader {
  readonly #steps: Array<Step> = []
  readonly #structures: Array<Structure> = []
  #inText = false
  #tooDeep = 0

  /** True while an equation has begun and not ended. */
  get isWithin(): boolean {
    return this.#steps.length > 0
  }

  /** Handles the start of an element. Returns true if the element begins an equation or belongs to one. */
  open(name: string, { val = "" }: Readonly<Record<string, string>>): boolean {
    if (!this.isWithin) {
      if (!ROOTS.has(name)) return false
      this.#structures.push({ name, properties: new Map(), arguments: [{ name: "e", pieces: [] }] })
    }
    this.#steps.push(this.isWithin ? this.#begin(name, val) : "structure")
    return true
  }

  text(text: string): void {
    if (this.#inText) this.#add(plain(text.replaceAll(/\s+/gu, " ")))
  }

  /** Handles the end of an element. Returns the equation if it is complete. */
  close(): string | undefined {
    const step = this.#steps.pop()
    if (step === "text") this.#inText = false
    if (step === "deep") this.#tooDeep -= 1
    if (step !== "structure") return undefined
    const piece = written(this.#structures.pop()!)
    if (!this.isWithin) return piece.text
    this.#add(piece)
    return undefined
  }

  #begin(name: string, value: string): Step {
    if (name === "t") {
      this.#inText = true
      return "text"
    }
    const isStructure = STRUCTURES.has(name)
    if (this.#tooDeep > 0 || (isStructure && this.#structures.length === DEEPEST)) {
      this.#tooDeep += 1
      return "deep"
    }
    if (isStructure) {
      this.#structures.push({ name, properties: new Map(), arguments: [] })
      return "structure"
    }
    const structure = this.#structures.at(-1)!
    if (PROPERTIES.has(name)) structure.properties.set(name, value)
    if (name === "oMath" && structure.arguments.at(-1)?.pieces.length !== 0) this.#add(BETWEEN)
    // The elements of a matrix are inside its rows.
    if (structure.name === "m" && name === "e") this.#add(NEXT_CELL)
    else if (ARGUMENTS.has(name)) structure.arguments.push({ name, pieces: [] })
    return "none"
  }

  #add(piece: Piece): void {
    this.#structures.at(-1)?.arguments.at(-1)?.pieces.push(piece)
  }
}
