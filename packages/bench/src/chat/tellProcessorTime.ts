/** Loaded into each server that is measured: tells its processor time in microseconds whenever it is asked. */
process.on("message", (question) => {
  if (question !== "processor time") return
  const { system, user } = process.cpuUsage()
  process.send?.({ processorTime: user + system })
})
