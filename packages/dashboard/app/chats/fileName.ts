const LONGEST = 60

/** Converts a title to a file name without extension that every operating system accepts. */
export const fileNameOf = (title: string): string => {
  const name = title
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, LONGEST)
  return name === "" ? "chat" : name
}
