import "katex/dist/katex.css"
import katex from "katex"

/** The largest size that a formula may set, in em. */
const LARGEST = 30
const EXPANSIONS = 500

/**
 * Typesets a formula into an element without parsing HTML. Commands that load, link or style are disabled; a formula
 * that cannot be typeset is shown as its source.
 */
export const typesetFormula = (tex: string, place: HTMLElement, isDisplayed: boolean): void => {
  try {
    katex.render(tex, place, {
      displayMode: isDisplayed,
      throwOnError: true,
      trust: false,
      strict: "ignore",
      maxSize: LARGEST,
      maxExpand: EXPANSIONS,
      output: "htmlAndMathml"
    })
  } catch {
    const source = document.createElement("code")
    source.textContent = tex
    place.replaceChildren(source)
  }
}
