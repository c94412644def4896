export interface SweepInput {
  /** Holds at most. */
  readonly limit: number
}

/** What a sweep ended. */
export interface Swept {
  /** Holds whose reply had delivered something: charged for the input and the output last recorded. */
  readonly charged: number
  /** Holds whose reply had delivered nothing. */
  readonly released: number
  /** Credits charged. */
  readonly credits: number
  /** Accounts whose holds the storage refused to end, since their rows contradict each other. */
  readonly refused: number
}

export const NOTHING_SWEPT: Swept = { charged: 0, released: 0, credits: 0, refused: 0 }

/** Two sweeps as one. */
export const addSwept = (a: Swept, b: Swept): Swept => ({
  charged: a.charged + b.charged,
  released: a.released + b.released,
  credits: a.credits + b.credits,
  refused: a.refused + b.refused
})
