import { createContext } from "react"

/** The target of a `[1]` in a reply. */
export interface Citations {
  /** The numbers of the reply's sources; a number that is not among them stays text. */
  readonly numbers: ReadonlySet<number>
  /** The link's name for screen readers. */
  readonly label: (number: number) => string
  readonly onOpen: (number: number) => void
}

export const CitationsContext = createContext<Citations | undefined>(undefined)
