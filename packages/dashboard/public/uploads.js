import { ApiProblem } from "./api.js"
import { createDropZone } from "./dropZone.js"
import { element, find } from "./element.js"
import { upload } from "./upload.js"

/**
 * Files on their way to the server, each with its progress.
 * @param {{ documents: import("./documents.js").Documents, announcer: import("./announcer.js").Announcer,
 *   onProblem: (error: unknown, place: HTMLElement) => void }} input
 */
export const createUploads = ({ documents, announcer, onProblem }) => {
  const list = find("uploads", HTMLElement)

  /** @param {File} file */
  const send = async (file) => {
    const bar = element("progress", { max: "1", value: "0", "aria-label": `Uploading ${file.name}` })
    const row = element("div", { class: "upload" }, element("span", {}, `Uploading ${file.name}`), bar)
    list.append(row)
    try {
      const { documentId } = await upload(file, (part) => {
        bar.value = part
      })
      documents.choose(documentId)
      announcer.say(`${file.name} is uploaded and being read.`)
      await documents.refresh()
    } catch (error) {
      onProblem(naming(file, error), documents.problem)
    } finally {
      row.remove()
    }
  }

  createDropZone(async (files) => {
    documents.problem.replaceChildren()
    for (const file of files) await send(file)
  })
}

/** The problem with the file's name before it, since several files may be sent at once. @param {File} file @param {unknown} error */
const naming = (file, error) =>
  error instanceof ApiProblem && error.status !== 401
    ? new ApiProblem(error.status, `${file.name}: ${error.message}`, error.members)
    : error
