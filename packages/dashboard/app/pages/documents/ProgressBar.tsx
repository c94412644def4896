import classes from "./DocumentListPage.module.css"

export interface ProgressBarProps {
  readonly label: string
  /** The completed part, from 0 to 1. */
  readonly part: number
}

const WHOLE = 100

export const ProgressBar = ({ label, part }: ProgressBarProps) => (
  <progress className={classes.progress} aria-label={label} max={WHOLE} value={Math.round(part * WHOLE)} />
)
