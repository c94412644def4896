import type { ReactNode } from "react"
import type { IconName } from "../../theme/Icon.tsx"

/** One row of a menu. */
export interface MenuEntry {
  readonly label: string
  readonly description?: string
  readonly icon?: IconName
  readonly isDangerous?: boolean
  readonly isDisabled?: boolean
  /** Set on rows of which one is chosen. */
  readonly isChosen?: boolean
  readonly onSelect: () => void
}

export interface MenuButtonProps {
  /** The button's accessible name, if its content is not one. */
  readonly label?: string
  readonly className?: string | undefined
  readonly entries: ReadonlyArray<MenuEntry>
  /** In pixels; default: the width of the button. */
  readonly width?: number | "target"
  readonly position?: "top" | "top-start" | "bottom-start" | "bottom-end"
  readonly children: ReactNode
}
