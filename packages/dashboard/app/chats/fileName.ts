const LONGEST = 60

/** A title as the name of a file on any system, without an extension. */
export const fileNameOf = (title: string): string => {
  const name = title
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, LONGEST)
  return name === "" ? "chat" : name
}
