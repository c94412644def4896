import { writeDocx } from "../../../../packages/adapters-documents/test/fixtures/writeDocx.ts"
import { writePdf } from "../../../../packages/adapters-documents/test/fixtures/writePdf.ts"

export interface NamedFile {
  readonly name: string
  readonly bytes: Uint8Array
}

/** Three pages; the answer is on the second. */
export const leasePdf: NamedFile = {
  name: "lease.pdf",
  bytes: writePdf([
    ["Lease of the workshop", "", "This lease is made between the Harbour Company and Ada Byron."],
    [
      "Termination",
      "",
      "Either party may end the lease with a notice of ninety days to the end of a month.",
      "The notice must be given in writing and names the day of the handover.",
      "A lease that is not ended goes on for another year on the same terms."
    ],
    ["Deposit", "", "The deposit is three monthly rents and is paid back within six weeks."]
  ])
}

export const minutesDocx: NamedFile = {
  name: "minutes.docx",
  bytes: writeDocx([
    { heading: "Minutes of the spring meeting" },
    { paragraph: "The members chose Grace Hopper as treasurer for two years." },
    { heading: "Budget", level: 2 },
    { paragraph: "The budget for the new crane is forty thousand crowns, to be spent before November." }
  ])
}

export const lockedPdf: NamedFile = {
  name: "locked.pdf",
  bytes: writePdf([["Nobody can read this."]], { encrypted: true })
}

export const textNamedPdf: NamedFile = { name: "pretender.pdf", bytes: Buffer.from("I am only text.") }
