import { execFileSync } from "node:child_process"
import { join } from "node:path"

/** The files of a certificate and its key, both PEM. */
export interface Certificate {
  readonly cert: string
  readonly key: string
}

const openssl = (...args: ReadonlyArray<string>): void => void execFileSync("openssl", args, { stdio: "pipe" })
const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
const into = (folder: string, name: string): Certificate => ({
  cert: join(folder, `${name}.pem`),
  key: join(folder, `${name}.key`)
})

/** An authority, which signs certificates. */
export const makeAuthority = (folder: string, name: string): Certificate => {
  const made = into(folder, name)
  openssl("req", "-x509", ...newKey, "-keyout", made.key, "-out", made.cert, "-days", "2", "-subj", `/CN=${name}`)
  return made
}

/** A certificate for a host, such as `DNS:localhost`, for this many days: with a negative number it has expired. */
export const issueCertificate = (folder: string, authority: Certificate, host: string, days = 2): Certificate => {
  const made = into(folder, `server${crypto.randomUUID()}`)
  const request = `${made.cert}.csr`
  openssl(
    "req",
    ...newKey,
    "-keyout",
    made.key,
    "-out",
    request,
    "-subj",
    "/CN=server",
    "-addext",
    `subjectAltName=${host}`
  )
  const signed = ["-CA", authority.cert, "-CAkey", authority.key, "-copy_extensions", "copy", "-days", String(days)]
  openssl("x509", "-req", "-in", request, "-out", made.cert, ...signed)
  return made
}
