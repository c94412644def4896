import { parseS3Url, type S3Options } from "@parley/adapters-s3"
import type { EnvironmentReader } from "./EnvironmentReader.ts"

/** The bucket of uploaded files, if `PARLEY_FILES_URL` names one; otherwise the database stores them. */
export const readFiles = (read: EnvironmentReader): S3Options | undefined => {
  const url = read.text("PARLEY_FILES_URL")
  if (url === undefined) return undefined
  const place = parseS3Url(url)
  if (place === undefined) {
    read.problem(
      "PARLEY_FILES_URL",
      "expected s3://<bucket>[/<prefix>][?region=<region>&endpoint=<https address>], without credentials in it"
    )
  }
  const accessKeyId = read.text("AWS_ACCESS_KEY_ID")
  const secretAccessKey = read.secret("AWS_SECRET_ACCESS_KEY")
  for (const [name, value] of Object.entries({
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey
  })) {
    if (value === undefined) read.problem(name, "expected the credentials of the bucket in PARLEY_FILES_URL")
  }
  if (place === undefined || accessKeyId === undefined || secretAccessKey === undefined) return undefined
  return { ...place, accessKeyId, secretAccessKey, sessionToken: read.secret("AWS_SESSION_TOKEN") }
}
