import { Suspense, useState } from "react"
import type { MenuButtonProps } from "./MenuEntry.ts"
import { lazyPart } from "../../parts/lazyPart.ts"

const loadMenu = () => import("./OpenedMenu.tsx")
/** Loads the menu early. If that fails, the menu is loaded when it is opened. */
const preloadMenu = () => void loadMenu().catch(() => undefined)
const OpenedMenu = lazyPart(async () => (await loadMenu()).OpenedMenu)

/**
 * A button with a menu. The menu's code is loaded when the pointer or the focus reaches the button, not with the page.
 */
export const MenuButton = (props: MenuButtonProps) => {
  const [wasUsed, setUsed] = useState(false)
  const { label, className, children } = props
  const plain = (
    <button
      type="button"
      className={className}
      aria-label={label}
      aria-haspopup="menu"
      aria-expanded={false}
      onPointerEnter={preloadMenu}
      onFocus={preloadMenu}
      onClick={() => setUsed(true)}
    >
      {children}
    </button>
  )
  if (!wasUsed) return plain
  return (
    <Suspense fallback={plain}>
      <OpenedMenu {...props} />
    </Suspense>
  )
}
