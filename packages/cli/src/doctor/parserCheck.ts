import { parserFences } from "@parley/adapters-documents"
import { Effect } from "effect"
import { type Check, note, ok } from "./Check.ts"

const NAME = "document parsers"

/** The isolation of a parser from the rest of this machine. */
export const parserCheck: Effect.Effect<Check> = Effect.map(
  Effect.promise(parserFences),
  ({ descriptors, network }) => {
    if (descriptors && network) return ok(NAME, "read no files of others; open no sockets; have no network")
    if (descriptors) return ok(NAME, "read no files of others; open no sockets")
    if (network) return ok(NAME, "read no files of others; have no network")
    return note(
      NAME,
      "read no files of others; only JavaScript keeps them from the network",
      "Install util-linux (prlimit), or run on Linux: then they can open no sockets."
    )
  }
)
