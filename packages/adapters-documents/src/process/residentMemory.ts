import { openSync, readSync } from "node:fs"

/** The file in which Linux reports the memory of a process in pages: first the total, then the resident part. */
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
 * Returns a function that measures the resident memory of this process in bytes. On Linux it reads a file that is
 * opened here, so that it works even if no further file can be opened.
 */
export const residentMemory = (): (() => number) => {
  const file = openSize()
  if (file === undefined) return () => process.memoryUsage.rss()
  // The size of a page is computed from two measurements of the same memory. It is a power of two, so the memory
  // allocated between the measurements does not matter.
  const pageBytes = 2 ** Math.round(Math.log2(process.memoryUsage.rss() / residentPages(file)))
  return () => residentPages(file) * pageBytes
}
