/** The image has no curl: exit code 0 if the server or the worker of this container answers at /healthz. */
const answer = await fetch(`http://127.0.0.1:${process.env["PORT"] ?? 3000}/healthz`).catch(() => undefined)
process.exit(answer?.ok === true ? 0 : 1)
