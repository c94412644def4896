export { parseS3Url, type S3Options, type S3Place } from "./S3Options.ts"
export { s3Objects } from "./s3Objects.ts"
