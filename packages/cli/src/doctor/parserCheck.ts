import { libreOfficeVersion, parserFences } from "@parley/adapters-documents"
import { Effect } from "effect"
import type { ParleyConfig } from "../config/readConfig.ts"
import { exitCodes } from "../exitCodes.ts"
import { type Check, failed, note, ok } from "./Check.ts"

const NAME = "document parsers"

/** Checks how far parsers are isolated from the rest of this machine. */
const isolationCheck: Effect.Effect<Check> = Effect.map(Effect.promise(parserFences), ({ descriptors, network }) => {
  if (descriptors && network) return ok(NAME, "read no files of others; open no sockets; have no network")
  if (descriptors) return ok(NAME, "read no files of others; open no sockets")
  if (network) return ok(NAME, "read no files of others; have no network")
  return note(
    NAME,
    "read no files of others; only JavaScript keeps them from the network",
    "Install util-linux (prlimit), or run on Linux: then they can open no sockets."
  )
})

const CONVERTER = "LibreOffice"

const converterCheck = (libreOffice: string): Effect.Effect<Check> =>
  Effect.map(
    Effect.promise(() => libreOfficeVersion(libreOffice)),
    (version) => {
      if (version !== undefined) return ok(CONVERTER, `${version} converts doc, xls and ppt`)
      const advice = "Install LibreOffice, and set PARLEY_LIBREOFFICE to its program, such as /usr/bin/soffice."
      return failed(CONVERTER, exitCodes.unavailable, "no LibreOffice answers at PARLEY_LIBREOFFICE", advice)
    }
  )

/** Checks the parsers, and LibreOffice, which converts older formats, if it is configured. */
export const parserChecks = ({ libreOffice }: Pick<ParleyConfig, "libreOffice">): Effect.Effect<ReadonlyArray<Check>> =>
  Effect.all([isolationCheck, ...(libreOffice === undefined ? [] : [converterCheck(libreOffice)])])
