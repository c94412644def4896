/** The panel that contains the chat's frame. */
export interface Panel {
  readonly element: HTMLDialogElement
  readonly frame: HTMLIFrameElement
  /** Opens or closes the panel. */
  show(isOpen: boolean): void
}

/** The window sizes at which the chat takes the whole window. */
const SMALL = "(max-width:480px),(max-height:520px)"

/** Creates a closed panel; calls `onCancel` when the visitor closes it by key or gesture. */
export const createPanel = (onCancel: () => void, signal: AbortSignal): Panel => {
  const element = document.createElement("dialog")
  const frame = document.createElement("iframe")
  const small = matchMedia(SMALL)
  // Every browser that the widget supports has `visualViewport`.
  const view = visualViewport!
  let isOpen = false

  /**
   * Adapts the panel to the window: in its corner or, on small screens, full-screen with the rest of the page inert.
   */
  const fit = (): void => {
    const isFull = small.matches
    element.className = isFull ? "full" : ""
    // Both an on-screen keyboard and zooming in reduce the visible area. Only for a keyboard does the panel shrink.
    const isCovered = isFull && view.scale === 1
    element.style.cssText = isCovered ? `height:${view.height}px;top:${view.offsetTop}px` : ""
    if (!isOpen || (element.open && element.matches(":modal") === isFull)) return
    element.close()
    if (isFull) element.showModal()
    else element.show()
    frame.focus()
  }

  // The server learns the origin of the embedding site, even if the page's policy sends no referrer.
  frame.referrerPolicy = "origin"
  element.append(frame)
  element.oncancel = (event) => {
    event.preventDefault()
    onCancel()
  }
  small.addEventListener("change", fit, { signal })
  view.addEventListener("resize", fit, { signal })
  view.addEventListener("scroll", fit, { signal })
  return {
    element,
    frame,
    show: (next) => {
      isOpen = next
      if (isOpen) fit()
      else element.close()
    }
  }
}
