import { memo, useLayoutEffect, useRef } from "react"
import { formulas } from "./formulaPart.ts"
import classes from "./Markdown.module.css"

export interface FormulaProps {
  readonly tex: string
  readonly isDisplayed: boolean
}

/** A formula. Its source text is shown until KaTeX is loaded, and if the formula cannot be typeset. */
export const Formula = memo(({ tex, isDisplayed }: FormulaProps) => {
  const place = useRef<HTMLSpanElement>(null)
  const typeset = formulas.useLoaded()?.typesetFormula
  useLayoutEffect(() => {
    if (typeset !== undefined && place.current !== null) typeset(tex, place.current, isDisplayed)
  }, [typeset, tex, isDisplayed])
  return (
    <span className={isDisplayed ? classes.formula : undefined} tabIndex={isDisplayed ? 0 : undefined}>
      {typeset === undefined ? <code>{tex}</code> : <span ref={place} />}
    </span>
  )
})
Formula.displayName = "Formula"
