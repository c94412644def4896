import { existsSync, readFileSync } from "node:fs"

/**
 * A line that sets a variable to a colour without quotation marks. `#` begins a comment there, so the variable is
 * empty.
 */
const COMMENTED_COLOUR = /^[^\S\n]*(?:export )?(\w+)[^\S\n]*=[^\S\n]*#[\da-f]{3,8}[^\S\n]*$/gim

/** Adds the variables of a `.env` file in the working folder to the environment; returns its problems. */
export const readEnvironmentFile = (): ReadonlyArray<string> => {
  try {
    if (!existsSync(".env")) return []
    process.loadEnvFile(".env")
    return commentedColours(readFileSync(".env", "utf8"))
  } catch {
    return [".env: the file cannot be read"]
  }
}

/** The problems of variables in a `.env` file whose colour is read as a comment. */
export const commentedColours = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(COMMENTED_COLOUR)].map(
    ([, name]) => `${name}: expected quotation marks around the colour in .env, where # begins a comment`
  )
