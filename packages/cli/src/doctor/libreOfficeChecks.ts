import { libreOfficeVersion } from "@parley/adapters-documents"
import { Effect } from "effect"
import type { ParleyConfig } from "../config/readConfig.ts"
import { exitCodes } from "../exitCodes.ts"
import { type Check, failed, ok } from "./Check.ts"

const NAME = "LibreOffice"

/** Checks that the program that converts older formats is there; empty if none is configured. */
export const libreOfficeChecks = ({
  libreOffice
}: Pick<ParleyConfig, "libreOffice">): Effect.Effect<ReadonlyArray<Check>> =>
  libreOffice === undefined
    ? Effect.succeed([])
    : Effect.map(
        Effect.promise(() => libreOfficeVersion(libreOffice)),
        (version) => {
          if (version !== undefined) return [ok(NAME, `${version} converts doc, xls and ppt`)]
          const advice = "Install LibreOffice, and set PARLEY_LIBREOFFICE to its program, such as /usr/bin/soffice."
          return [failed(NAME, exitCodes.unavailable, "no LibreOffice answers at PARLEY_LIBREOFFICE", advice)]
        }
      )
