import { openSync, readSync } from "node:fs"

/** The file in which Linux shows a process its size, in pages: the whole, then the resident part. */
export const SIZE_FILE = "/proc/self/statm"

const openSize = (): number | undefined => {
  try {
    return openSync(SIZE_FILE, "r")
  } catch {
    return undefined
  }
}

const residentPages = (file: number): number => {
  const text = Buffer.alloc(128)
  return Number(text.toString("latin1", 0, readSync(file, text, 0, text.length, 0)).split(" ")[1])
}

/**
 * Returns a function that measures the resident memory of this process, in bytes. On Linux it reads a file opened here,
 * so that it works when no further file can be opened.
 */
export const residentMemory = (): (() => number) => {
  const file = openSize()
  if (file === undefined) return () => process.memoryUsage.rss()
  // Page sizes are powers of two; the two measurements differ by the memory allocated in between.
  const pageBytes = 2 ** Math.round(Math.log2(process.memoryUsage.rss() / residentPages(file)))
  return () => residentPages(file) * pageBytes
}
