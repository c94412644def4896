import { createContext } from "react"

/** The sources to which citations such as `[1]` in a reply lead. */
export interface Citations {
  /** The numbers of the reply's sources. A number that is missing here stays plain text. */
  readonly numbers: ReadonlySet<number>
  /** Returns the name of a citation's link for screen readers. */
  readonly label: (number: number) => string
  readonly onOpen: (number: number) => void
}

export const CitationsContext = createContext<Citations | undefined>(undefined)
