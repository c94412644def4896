const SUBJECTS = [
  "account",
  "customer",
  "engine",
  "garden",
  "invoice",
  "library",
  "machine",
  "order",
  "payment",
  "station"
]
const VERBS = ["needs", "changes", "reports", "delivers", "replaces", "confirms", "returns", "keeps", "opens"]
const TIMES = ["in the first quarter", "after the notice", "before the end of the year", "with each update"]

const of = (words: ReadonlyArray<string>, place: number): string => words[place % words.length] ?? ""

/** Returns an English sentence, which differs for each number. */
const sentence = (number: number): string =>
  `The ${of(SUBJECTS, number)} ${of(VERBS, number * 7)} the ${of(SUBJECTS, number * 3 + 1)} of number ${number % 997} ${of(TIMES, number)}, and it is not the same as the ${of(SUBJECTS, number * 5 + 2)}.`

/** Returns a text of about two kilobytes. */
export const smallText = (number: number): Buffer =>
  Buffer.from(`# Notes ${number}\n\n${Array.from({ length: 24 }, (_, at) => sentence(number * 24 + at)).join("\n")}\n`)

const LINES_PER_PAGE = 40

const pageContent = (page: number): string => {
  const lines = Array.from({ length: LINES_PER_PAGE }, (_, line) => `(${sentence(page * LINES_PER_PAGE + line)}) Tj T*`)
  return `BT /F1 10 Tf 14 TL 50 740 Td ${lines.join("\n")} ET`
}

/** Returns a PDF with lines of text in a standard font. */
export const textPdf = (pages: number): Buffer => {
  const numbers = Array.from({ length: pages }, (_, page) => page)
  const kids = numbers.map((page) => `${2 * page + 4} 0 R`).join(" ")
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Count ${pages} /Kids [${kids}] >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ...numbers.flatMap((page) => {
      const content = pageContent(page)
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${2 * page + 5} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
        `<< /Length ${content.length} >>\nstream\n${content}\nendstream`
      ]
    })
  ]
  let file = "%PDF-1.7\n"
  const rows = objects.map((object, index) => {
    const offset = file.length
    file += `${index + 1} 0 obj\n${object}\nendobj\n`
    return `${String(offset).padStart(10, "0")} 00000 n \n`
  })
  const table = `xref\n0 ${rows.length + 1}\n0000000000 65535 f \n${rows.join("")}`
  const end = `trailer\n<< /Size ${rows.length + 1} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`
  return Buffer.from(`${file}${table}${end}`, "latin1")
}
