import { makePart } from "../parts/part.ts"
import { mayHaveFormula } from "./lexMarkdown.ts"

/** The module that typesets formulas. */
export const formulas = makePart(() => import("./typesetFormula.ts"))

/** Loads the typesetter if one of these texts may contain a formula. */
export const loadFormulas = async (texts: ReadonlyArray<string>): Promise<void> => {
  if (texts.some(mayHaveFormula)) await formulas.load()
}
