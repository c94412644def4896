import { find } from "./element.js"

/**
 * Takes files that are dropped on the panel or chosen with the button, which is a real file input.
 * @param {(files: File[]) => void} onFiles
 */
export const createDropZone = (onFiles) => {
  const zone = find("drop-zone", HTMLElement)
  const input = find("file", HTMLInputElement)
  let depth = 0

  /** @param {number} change entering a child counts as well as leaving one */
  const hover = (change) => {
    depth = Math.max(0, depth + change)
    zone.classList.toggle("drop-zone-over", depth > 0)
  }
  zone.addEventListener("dragenter", (event) => {
    event.preventDefault()
    hover(1)
  })
  zone.addEventListener("dragleave", () => hover(-1))
  zone.addEventListener("drop", (event) => {
    event.preventDefault()
    hover(-depth)
    onFiles([...(event.dataTransfer?.files ?? [])])
  })
  // A file dropped beside the zone would otherwise replace the page.
  for (const kind of ["dragover", "drop"]) window.addEventListener(kind, (event) => event.preventDefault())

  input.addEventListener("change", () => {
    onFiles([...(input.files ?? [])])
    input.value = ""
  })
}
