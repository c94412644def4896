import { createContext } from "react"

/** What a `[1]` in a reply leads to. */
export interface Citations {
  /** The numbers of the reply's sources; a number that is not among them stays text. */
  readonly numbers: ReadonlySet<number>
  /** How the link is named to people who do not see it. */
  readonly label: (number: number) => string
  readonly onOpen: (number: number) => void
}

export const CitationsContext = createContext<Citations | undefined>(undefined)
