/**
 * Returns a hostile PDF with one page: twenty forms, each of which draws the next one four times, so that reading its
 * text would take a million million steps. `seed` changes the bytes, and therefore their hash.
 */
export const nestedFormsPdf = (seed: number): Buffer => {
  const depth = 20
  const form = (next: string, content: string) =>
    `<< /Type /XObject /Subtype /Form /BBox [0 0 600 700] /Resources << /Font << /F1 4 0 R >> ${next} >> ` +
    `/Length ${content.length} >>\nstream\n${content}\nendstream`
  const forms = Array.from({ length: depth }, (_, level) =>
    level === depth - 1
      ? form("", "BT /F1 11 Tf 50 700 Td (word) Tj ET")
      : form(`/XObject << /X ${level + 7} 0 R >>`, `% ${seed}\n${"/X Do ".repeat(4)}`)
  )
  const page = `% ${seed}\n/X Do`
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R /Resources << /XObject << /X 6 0 R >> >> >>",
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    `<< /Length ${page.length} >>\nstream\n${page}\nendstream`,
    ...forms
  ]
  let file = "%PDF-1.7\n"
  const offsets = objects.map((object, index) => {
    const offset = file.length
    file += `${index + 1} 0 obj\n${object}\nendobj\n`
    return offset
  })
  const table = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("")
  const end = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer\n`
  return Buffer.from(
    `${file}${end}<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`,
    "latin1"
  )
}
