/** The texts of a launcher: the visible words, and its accessible names. */
export interface LauncherLabels {
  readonly launcherText?: string | undefined
  readonly launcherLabel: string
  readonly unreadLabel: string
}

/** The button that opens the chat. */
export interface Launcher {
  readonly element: HTMLButtonElement
  label(labels: LauncherLabels): void
  /** Shows that the chat is open ("open"), closed (""), or closed with an unread reply ("unread"). */
  mark(state: "open" | "" | "unread"): void
}

const SVG = "http://www.w3.org/2000/svg"
const BUBBLE = "M12 3a9 9 0 1 1-4 17l-5 1 1-5a9 9 0 0 1 8-13z"
const DOWN = "m6 9 6 6 6-6"

/** Makes a launcher that is not in the page yet. */
export const createLauncher = (onPress: () => void): Launcher => {
  const element = document.createElement("button")
  const svg = document.createElementNS(SVG, "svg")
  const line = document.createElementNS(SVG, "path")
  const words = new Text()
  let labels: Partial<LauncherLabels> = {}
  const mark: Launcher["mark"] = (state) => {
    const isOpen = state === "open"
    line.setAttribute("d", isOpen ? DOWN : BUBBLE)
    element.ariaExpanded = `${isOpen}`
    element.className = state
    element.ariaLabel = (state === "unread" ? labels.unreadLabel : labels.launcherLabel) as string
  }
  svg.setAttribute("viewBox", "0 0 24 24")
  svg.append(line)
  element.append(svg, words)
  element.ariaHasPopup = "dialog"
  element.onclick = onPress
  return {
    element,
    mark,
    label: (next) => {
      labels = next
      words.data = next.launcherText ?? ""
      mark(element.className as "unread")
    }
  }
}
