/** A theme and a window that is high enough for a whole page. */
export interface Shape {
  readonly colorScheme: "light" | "dark"
  readonly isPhone: boolean
}

/** The appearances that every run checks. */
export const SHAPES: ReadonlyArray<Shape> = [{ colorScheme: "dark", isPhone: true }]

/** The other ways. */
export const FURTHER_SHAPES: ReadonlyArray<Shape> = [
  { colorScheme: "light", isPhone: false },
  { colorScheme: "dark", isPhone: false },
  { colorScheme: "light", isPhone: true }
]
