import { problemOf, unreachable } from "./api.js"

/**
 * Sends a file to `POST /api/upload`. XMLHttpRequest, because fetch tells nothing of how much has been sent.
 * @param {File} file
 * @param {(part: number) => void} onProgress called with the part sent, from 0 to 1
 * @returns {Promise<{ documentId: string, filename: string, status: string }>} rejects with an `ApiProblem`
 */
export const upload = (file, onProgress) =>
  new Promise((resolve, reject) => {
    const form = new FormData()
    form.append("file", file)
    const request = new XMLHttpRequest()
    request.open("POST", "/api/upload")
    request.upload.addEventListener("progress", (event) => {
      if (event.lengthComputable && event.total > 0) onProgress(event.loaded / event.total)
    })
    request.addEventListener("load", () => {
      if (request.status === 200) resolve(JSON.parse(request.responseText))
      else reject(problemOf(request.status, request.responseText))
    })
    request.addEventListener("error", () => reject(unreachable()))
    request.addEventListener("abort", () => reject(unreachable()))
    request.send(form)
  })
