/** What the chat's frame is shown in. */
export interface Panel {
  readonly element: HTMLDialogElement
  readonly frame: HTMLIFrameElement
  open(): void
  close(): void
}

/** Windows in which the chat takes all the room. */
const SMALL = "(max-width:480px),(max-height:520px)"

/** Makes a closed panel; `onCancel` is called where the visitor's keys or gestures close it. */
export const createPanel = (onCancel: () => void, signal: AbortSignal): Panel => {
  const element = document.createElement("dialog")
  const frame = document.createElement("iframe")
  const small = matchMedia(SMALL)
  const view = visualViewport
  let isOpen = false

  /** Shows it as the window is: in its corner or, where there is little room, over everything, and all else inert. */
  const fit = (): void => {
    const isFull = small.matches
    element.className = isFull ? "full" : ""
    // A keyboard on the screen takes room from what is visible; so does zooming in, which is to show less.
    const isCovered = isFull && view?.scale === 1
    element.style.height = isCovered ? `${view.height}px` : ""
    element.style.top = isCovered ? `${view.offsetTop}px` : ""
    if (!isOpen || (element.open && element.matches(":modal") === isFull)) return
    element.close()
    if (isFull) element.showModal()
    else element.show()
    frame.focus()
  }

  element.append(frame)
  element.oncancel = (event) => {
    event.preventDefault()
    onCancel()
  }
  small.addEventListener("change", fit, { signal })
  view?.addEventListener("resize", fit, { signal })
  view?.addEventListener("scroll", fit, { signal })
  return {
    element,
    frame,
    open: () => {
      isOpen = true
      fit()
    },
    close: () => {
      isOpen = false
      element.close()
    }
  }
}
