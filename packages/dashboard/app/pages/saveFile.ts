/** Lets the browser save a file that the page has created. */
export const saveFile = (name: string, type: string, content: string | Blob): void => {
  const address = URL.createObjectURL(new Blob([content], { type: `${type};charset=utf-8` }))
  const link = document.createElement("a")
  link.href = address
  link.download = name
  link.click()
  // By then the browser has read the file, so its address can be released.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}
