import { openSync, readSync } from "node:fs"

/** Where Linux tells a process its size, in pages: the whole, then what is resident. */
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
 * Gives a function that measures the resident memory of this process, in bytes. On Linux it reads a file opened here,
 * so that it works where no file can be opened any more.
 */
export const residentMemory = (): (() => number) => {
  const file = openSize()
  if (file === undefined) return () => process.memoryUsage.rss()
  // Pages are a power of two; the two measurements differ by what was allocated in between.
  const pageBytes = 2 ** Math.round(Math.log2(process.memoryUsage.rss() / residentPages(file)))
  return () => residentPages(file) * pageBytes
}
