import { expect, test } from "vitest"
import { pieceTokenizer, tokenVocabulary } from "../../src/tokens/pieceTokenizer.ts"
import * as tables from "../../src/tokens/tokenTables.ts"
import { countTokens, makeTokenTables } from "./makeTokenTables.ts"

/** Every ASCII character but those that always cut: spaces, digits and line ends. */
const NEIGHBOURS = Array.from({ length: 0x80 }, (_, code) => String.fromCharCode(code)).filter(
  (character) => !/[0-9 \n\r]/.test(character)
)

test("the bound of a listed word holds with every character before it", { timeout: 1_200_000 }, () => {
  const words = [...tokenVocabulary().words].filter((word) => !word.startsWith(" "))
  const broken = words.flatMap((word) =>
    NEIGHBOURS.map((neighbour) => neighbour + word).filter((text) => pieceTokenizer.count(text).max < countTokens(text))
  )
  expect(broken).toEqual([])
  expect(words.length).toBeGreaterThan(5_000)
})

test("the tables are of the vocabularies as they are", () => {
  const made = [...makeTokenTables().matchAll(/^ {2}("(?:[^"\\]|\\.)*")$/gm)].map(([, text]) => JSON.parse(text ?? ""))
  expect(new Set(Object.values(tables))).toEqual(new Set(made))
})
