/** Why a document cannot be read, as a sentence for its owner. Travels between processes as its `reason`. */
export class Unreadable extends Error {
  override readonly name = "Unreadable"
}
