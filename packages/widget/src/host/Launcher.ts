/** The accessible names of a launcher. */
export interface LauncherLabels {
  readonly launcherLabel: string
  readonly unreadLabel: string
}

/** The round button that opens the chat. */
export interface Launcher {
  readonly element: HTMLButtonElement
  show(labels: LauncherLabels): void
  /** Marks that the chat is open, or that a reply came while it was closed. */
  mark(state: "open" | "closed" | "unread"): void
}

const SVG = "http://www.w3.org/2000/svg"
const BUBBLE = "M12 3a9 9 0 1 1-4 17l-5 1 1-5a9 9 0 0 1 8-13z"
const DOWN = "m6 9 6 6 6-6"

/** Makes a launcher; it is hidden until it is shown. */
export const createLauncher = (onPress: () => void): Launcher => {
  const element = document.createElement("button")
  const svg = document.createElementNS(SVG, "svg")
  const line = document.createElementNS(SVG, "path")
  let labels: LauncherLabels | undefined
  const mark: Launcher["mark"] = (state) => {
    const isOpen = state === "open"
    line.setAttribute("d", isOpen ? DOWN : BUBBLE)
    element.ariaExpanded = `${isOpen}`
    element.className = state
    element.ariaLabel = (state === "unread" ? labels?.unreadLabel : labels?.launcherLabel) as string
  }
  svg.setAttribute("viewBox", "0 0 24 24")
  svg.append(line)
  element.append(svg)
  element.hidden = true
  element.ariaHasPopup = "dialog"
  element.onclick = onPress
  return {
    element,
    mark,
    show: (next) => {
      labels = next
      element.hidden = false
      mark((element.className as "unread") || "closed")
    }
  }
}
