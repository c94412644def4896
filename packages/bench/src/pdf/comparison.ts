/** The scripts whose letters are counted separately. */
export const SCRIPTS = {
  latin: /\p{Script=Latin}/u,
  arabic: /\p{Script=Arabic}/u,
  cjk: /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u
} as const

export type Script = keyof typeof SCRIPTS

/**
 * The result of comparing a text with the reference text of the same file. Each figure is the share of the reference
 * that the text also contains, from 0 to 1; undefined if the reference has too little to compare.
 */
export interface Comparison {
  /** The script to which most letters of the reference belong. */
  readonly script: Script | "other"
  /** Letters of all scripts, each as often as the reference contains it. */
  readonly letters: number | undefined
  readonly byScript: Readonly<Record<Script, number | undefined>>
  /** Sequences of three words; in texts without spaces, sequences of three letters. */
  readonly order: number | undefined
  /** Rows of tables whose cells are in one line of the text, in their order. */
  readonly rows: number | undefined
}

/** The least letters of a script in the reference; fewer letters do not show whether a file is read well. */
const LEAST_LETTERS = 100

/**
 * Normalizes a text, because ligatures, presentation forms and half-width forms are different codes of the same
 * letters.
 */
const plain = (text: string): string => text.normalize("NFKC")

const counted = (parts: Iterable<string>): Map<string, number> => {
  const counts = new Map<string, number>()
  for (const part of parts) counts.set(part, (counts.get(part) ?? 0) + 1)
  return counts
}

/** Returns the share of `wanted` that `found` contains. Parts for which `only` returns false are not counted. */
const shareOf = (
  wanted: ReadonlyMap<string, number>,
  found: ReadonlyMap<string, number>,
  only: (part: string) => boolean = () => true
): number | undefined => {
  let all = 0
  let kept = 0
  for (const [part, count] of wanted) {
    if (!only(part)) continue
    all += count
    kept += Math.min(count, found.get(part) ?? 0)
  }
  return all === 0 ? undefined : kept / all
}

const lettersOf = (text: string): ReadonlyMap<string, number> =>
  counted(Array.from(text.toLowerCase()).filter((letter) => /\p{L}/u.test(letter)))

function* sequencesOf(text: string): Generator<string> {
  // Matches a word, or one character of a script that is written without spaces.
  const words = text.toLowerCase().match(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]|[\p{L}\p{N}]+/gu) ?? []
  for (let at = 2; at < words.length; at++) yield `${words[at - 2]} ${words[at - 1]} ${words[at]}`
}

/**
 * Returns the rows of tables in a text whose columns are laid out with spaces: lines with at least three cells, two of
 * which are figures.
 */
const rowsOf = (laidOut: string): ReadonlyArray<ReadonlyArray<string>> =>
  laidOut
    .split("\n")
    .map((line) => line.trim().split(/\s{2,}/u))
    .filter((cells) => cells.length >= 3 && cells.length <= 20)
    .filter((cells) => cells.filter((cell) => /^[-+(]?\p{Sc}?[\d.,]+[%)]?$/u.test(cell)).length >= 2)

const closed = (text: string): string => text.replaceAll(/\s+/gu, "")

const keptRows = (laidOut: string, text: string): number | undefined => {
  const rows = rowsOf(laidOut)
  if (rows.length === 0) return undefined
  const lines = text.split("\n").map(closed)
  const byFirst = new Map<string, Array<string>>()
  const firstOf = (cell: string) => closed(cell).slice(0, 8)
  const wanted = new Set(rows.map(([first = ""]) => firstOf(first)))
  for (const first of wanted)
    byFirst.set(
      first,
      lines.filter((line) => line.includes(first))
    )
  const isKept = (cells: ReadonlyArray<string>) =>
    (byFirst.get(firstOf(cells[0] ?? "")) ?? []).some((line) => {
      let from = 0
      return cells.map(closed).every((cell) => {
        const at = line.indexOf(cell, from)
        from = at + cell.length
        return at >= 0
      })
    })
  return rows.filter(isKept).length / rows.length
}

/**
 * Compares a text with the reference in reading order, and with the reference whose columns are laid out with spaces.
 */
export const compared = (ours: string, reference: string, laidOut: string): Comparison => {
  const [text, wanted] = [plain(ours), plain(reference)]
  const [found, letters] = [lettersOf(text), lettersOf(wanted)]
  const ofScript = (script: Script) => shareOf(letters, found, (letter) => SCRIPTS[script].test(letter))
  const sizes = (Object.keys(SCRIPTS) as Array<Script>).map((script) => {
    let size = 0
    for (const [letter, count] of letters) if (SCRIPTS[script].test(letter)) size += count
    return [script, size] as const
  })
  const all = [...letters.values()].reduce((sum, count) => sum + count, 0)
  // A text in Arabic or Chinese about a program contains many Latin letters, so other scripts need a smaller share.
  const script = sizes.toReversed().find(([name, size]) => size > (name === "latin" ? 0.5 : 0.15) * all)?.[0] ?? "other"
  return {
    script,
    letters: all < LEAST_LETTERS ? undefined : shareOf(letters, found),
    byScript: { latin: ofScript("latin"), arabic: ofScript("arabic"), cjk: ofScript("cjk") },
    order: shareOf(counted(sequencesOf(wanted)), counted(sequencesOf(text))),
    rows: keptRows(plain(laidOut), text)
  }
}
