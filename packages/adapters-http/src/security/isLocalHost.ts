/** Whether a Host header names this machine: a page of another site that resolves to 127.0.0.1 does not pass. */
export const isLocalHost = (host: string | undefined): boolean => {
  const url = host === undefined || /[/?#@\\]/.test(host) ? null : URL.parse(`http://${host}/`)
  if (url === null) return false
  const { hostname } = url
  return (
    hostname === "localhost" ||
    hostname.endsWith(".localhost") ||
    hostname === "[::1]" ||
    /^127(\.\d{1,3}){3}$/.test(hostname)
  )
}
