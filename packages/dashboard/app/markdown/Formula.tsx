import { memo, useEffect, useRef, useState } from "react"
import classes from "./Markdown.module.css"

type Typeset = typeof import("./typesetFormula.ts").typesetFormula

let loaded: Typeset | undefined

export interface FormulaProps {
  readonly tex: string
  readonly isDisplayed: boolean
}

/** A formula: its source until what sets it has been loaded, and wherever it cannot be set. */
export const Formula = memo(({ tex, isDisplayed }: FormulaProps) => {
  const place = useRef<HTMLSpanElement>(null)
  const [typeset, setTypeset] = useState<Typeset | undefined>(() => loaded)
  useEffect(() => {
    if (typeset !== undefined) return
    let isWanted = true
    void import("./typesetFormula.ts").then(
      (module) => {
        loaded = module.typesetFormula
        if (isWanted) setTypeset(() => module.typesetFormula)
      },
      () => undefined
    )
    return () => {
      isWanted = false
    }
  }, [typeset])
  useEffect(() => {
    if (typeset !== undefined && place.current !== null) typeset(tex, place.current, isDisplayed)
  }, [typeset, tex, isDisplayed])
  return (
    <span className={isDisplayed ? classes.formula : undefined} tabIndex={isDisplayed ? 0 : undefined}>
      {typeset === undefined ? <code>{tex}</code> : <span ref={place} />}
    </span>
  )
})
Formula.displayName = "Formula"
