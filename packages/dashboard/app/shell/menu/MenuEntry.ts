import type { ReactNode } from "react"
import type { IconName } from "../../theme/Icon.tsx"

/** One row of a menu. */
export interface MenuEntry {
  readonly label: string
  readonly description?: string
  readonly icon?: IconName
  readonly isDangerous?: boolean
  readonly isDisabled?: boolean
  /** Set for entries that form a choice: true for the chosen entry, false for the others. */
  readonly isChosen?: boolean
  readonly onSelect: () => void
}

export interface MenuButtonProps {
  /** The accessible name of the button, if its content contains none. */
  readonly label?: string
  readonly className?: string | undefined
  readonly entries: ReadonlyArray<MenuEntry>
  /** The width of the menu in pixels; default: the width of the button. */
  readonly width?: number | "target"
  readonly position?: "top" | "top-start" | "bottom-start" | "bottom-end"
  readonly children: ReactNode
}
