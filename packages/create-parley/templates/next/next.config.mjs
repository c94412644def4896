/** The database and the document parser run in separate threads and processes, whose files a bundler would not find. */
export default {
  serverExternalPackages: [
    "@parley/adapters-db",
    "@parley/adapters-documents",
    "@parley/adapters-http",
    "@parley/adapters-llm",
    "@parley/core"
  ]
}
