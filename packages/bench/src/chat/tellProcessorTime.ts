/**
 * Loaded into each measured server: when asked by a message, it reports the processor time of its process in
 * microseconds.
 */
process.on("message", (question) => {
  if (question !== "processor time") return
  const { system, user } = process.cpuUsage()
  process.send?.({ processorTime: user + system })
})
