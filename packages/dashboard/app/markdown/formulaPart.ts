import { makePart } from "../parts/part.ts"
import { mayHaveFormula } from "./lexMarkdown.ts"

/** What sets formulas. */
export const formulas = makePart(() => import("./typesetFormula.ts"))

/** Loads what sets formulas where one of these texts may have some. */
export const loadFormulas = async (texts: ReadonlyArray<string>): Promise<void> => {
  if (texts.some(mayHaveFormula)) await formulas.load()
}
